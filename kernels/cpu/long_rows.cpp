// SPDX-License-Identifier: BSD-3-Clause
//
// Finds long rows (long_rows.hpp).
#include "kernels/cpu/long_rows.hpp"

#include <omp.h>

#include <algorithm>

#include "kernels/work.hpp"

namespace rowhalo {

LongRows::LongRows(const CsrView& matrix, RowListView rows) : all_(rows) {
  constexpr Offset fewest = 512, times_mean = 16;
  const Offset all = listed_nonzeros(matrix, rows);
  const Offset limit = std::max(fewest, times_mean * all / std::max<Offset>(rows.count, 1));
  const auto length = [&](LocalIndex row) { return matrix.offsets[row + 1] - matrix.offsets[row]; };
  std::vector<LocalIndex> others;
  for (LocalIndex k = 0; k < rows.count; ++k) {
    if (length(rows[k]) > limit) rows_.push_back(rows[k]);
  }
  if (rows_.empty()) return;
  others.reserve(static_cast<std::size_t>(rows.count) - rows_.size());
  for (LocalIndex k = 0; k < rows.count; ++k) {
    if (length(rows[k]) <= limit) others.push_back(rows[k]);
  }
  others_ = make_row_list(others);
  std::stable_sort(rows_.begin(), rows_.end(),
                   [&](LocalIndex a, LocalIndex b) { return length(a) > length(b); });
  // A group is one thread's: no more than a quarter of what one of them has to do.
  const Offset most = all / (Offset{4} * omp_get_max_threads());
  Offset sum = 0;
  for (LocalIndex k = 0; k < count(); ++k) {
    const LocalIndex members = k - starts_.back();
    const Offset own = length(rows_[k]);
    if (members == long_rows_side_by_side || (members > 0 && sum - before_.back() + own > most)) {
      starts_.push_back(k);
      before_.push_back(sum);
    }
    sum += own;
  }
  starts_.push_back(static_cast<LocalIndex>(count()));
  before_.push_back(sum);
}

}  // namespace rowhalo

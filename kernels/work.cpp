// SPDX-License-Identifier: BSD-3-Clause
//
// Counts over the listed rows of a local matrix (work.hpp).
#include "kernels/work.hpp"

#include <algorithm>
#include <atomic>

namespace rowhalo {
namespace {

std::int64_t columns_used(const CsrView& matrix, RowListView rows) {
  std::vector<unsigned char> used(static_cast<std::size_t>(matrix.columns), 0);
#pragma omp parallel for schedule(static)
  for (LocalIndex k = 0; k < rows.count; ++k) {
    const LocalIndex row = rows[k];
    for (Offset e = matrix.offsets[row]; e < matrix.offsets[row + 1]; ++e) {
      std::atomic_ref(used[matrix.indices[e]]).store(1, std::memory_order_relaxed);
    }
  }
  return std::count(used.begin(), used.end(), 1);
}

std::int64_t offsets_read(RowListView rows) {
  if (rows.groups == nullptr) return rows.count == 0 ? 0 : std::int64_t{rows.count} + 1;
  std::int64_t runs = 0;
  for (LocalIndex k = 0; k < rows.count; ++k) {
    if (k == 0 || rows[k] != rows[k - 1] + 1) ++runs;
  }
  return rows.count + runs;
}

std::int64_t row_list_bytes(RowListView rows) {
  if (rows.groups == nullptr) return 0;
  std::int64_t numbers = 0;
  for (LocalIndex first = 0; first < rows.count; first += RowListView::group_size) {
    const bool consecutive = rows.groups[first / RowListView::group_size] >= 0;
    numbers += 1 + (consecutive ? 0 : std::min(RowListView::group_size, rows.count - first));
    if (rows.count - first <= RowListView::group_size) break;  // first + group_size may overflow
  }
  return numbers * static_cast<std::int64_t>(sizeof(LocalIndex));
}

}  // namespace

Offset listed_nonzeros(const CsrView& matrix, RowListView rows) {
  if (rows.count == 0) return 0;
  if (rows.groups == nullptr) return matrix.nonzeros;
  Offset nonzeros = 0;
  for (LocalIndex k = 0; k < rows.count; ++k) {
    const LocalIndex row = rows[k];
    nonzeros += matrix.offsets[row + 1] - matrix.offsets[row];
  }
  return nonzeros;
}

RowLengths count_row_lengths(const CsrView& matrix, RowListView rows) {
  constexpr LocalIndex slice = 32, part = 8;
  const std::int64_t slices = (std::int64_t{rows.count} + slice - 1) / slice;
  Offset nonzeros = 0, longest = 0, slots_of_8 = 0, slots_of_32 = 0;
#pragma omp parallel for schedule(static) reduction(+ : nonzeros, slots_of_8, slots_of_32) \
    reduction(max : longest)
  for (std::int64_t s = 0; s < slices; ++s) {
    const auto begin = static_cast<LocalIndex>(s * slice);
    const LocalIndex lanes = std::min(slice, rows.count - begin);
    Offset longest_of_32 = 0;
    for (LocalIndex first = 0; first < lanes; first += part) {
      const LocalIndex lanes_of_8 = std::min(part, lanes - first);
      Offset longest_of_8 = 0;
      for (LocalIndex l = 0; l < lanes_of_8; ++l) {
        const LocalIndex row = rows[begin + first + l];
        const Offset length = matrix.offsets[row + 1] - matrix.offsets[row];
        nonzeros += length;
        longest_of_8 = std::max(longest_of_8, length);
      }
      slots_of_8 += longest_of_8 * lanes_of_8;
      longest_of_32 = std::max(longest_of_32, longest_of_8);
    }
    slots_of_32 += longest_of_32 * lanes;
    longest = std::max(longest, longest_of_32);
  }
  return {nonzeros, longest, slots_of_8, slots_of_32};
}

RowCounts count_on_host(const CsrView& matrix, RowListView rows) {
  const std::int64_t used = columns_used(matrix, rows);
  return {listed_nonzeros(matrix, rows), used, offsets_read(rows), row_list_bytes(rows),
          (used + rows.count) * static_cast<std::int64_t>(vector_value_bytes(matrix.precision))};
}

}  // namespace rowhalo

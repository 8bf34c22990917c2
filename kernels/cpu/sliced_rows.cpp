// SPDX-License-Identifier: BSD-3-Clause
//
// Rows in slices (sliced_rows.hpp).
#include "kernels/cpu/sliced_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/work.hpp"

namespace rowhalo {

namespace {

/// Slots if every slice is as wide as its longest row.
Offset padded_slots(const CsrView& matrix, const SlicedRows& rows) {
  Offset slots = 0;
#pragma omp parallel for schedule(static) reduction(+ : slots)
  for (std::int64_t slice = 0; slice < rows.slices(); ++slice) {
    Offset longest = 0;
    for (LocalIndex l = 0; l < rows.lanes(slice); ++l) {
      const LocalIndex row = rows.row(slice, l);
      longest = std::max(longest, matrix.offsets[row + 1] - matrix.offsets[row]);
    }
    slots += longest * rows.lanes(slice);
  }
  return slots;
}

}  // namespace

std::vector<LocalIndex> sorted_positions(const CsrView& matrix, RowListView rows,
                                         std::int64_t sigma) {
  if (sigma == 1) return {};
  std::vector<LocalIndex> order(static_cast<std::size_t>(rows.count));
  std::iota(order.begin(), order.end(), LocalIndex{0});
  const auto length = [&](LocalIndex position) {
    const LocalIndex row = rows[position];
    return matrix.offsets[row + 1] - matrix.offsets[row];
  };
  const std::int64_t window = std::min<std::int64_t>(sigma, std::max<LocalIndex>(rows.count, 1));
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t begin = 0; begin < rows.count; begin += window) {
    const std::int64_t end = std::min<std::int64_t>(begin + window, rows.count);
    std::stable_sort(order.begin() + begin, order.begin() + end,
                     [&](LocalIndex a, LocalIndex b) { return length(a) > length(b); });
  }
  return order;
}

SlicedRows::SlicedRows(const CsrView& matrix, RowListView rows, LocalIndex c, std::int64_t sigma)
    : rows_(rows),
      c_(c),
      slices_((std::int64_t{rows.count} + c - 1) / c),
      order_(sorted_positions(matrix, rows, sigma)),
      first_(slices_) {
#pragma omp parallel for schedule(static)
  for (std::int64_t slice = 0; slice < slices_; ++slice) {
    const LocalIndex first = row(slice, 0);
    bool consecutive = true;
    for (LocalIndex l = 1; l < lanes(slice); ++l) {
      consecutive = consecutive && row(slice, l) == first + l;
    }
    first_[slice] = consecutive ? first : -1;
  }
  LocalIndex scattered = 0;
  for (std::int64_t slice = 0; slice < slices_; ++slice) {
    if (first_[slice] >= 0) continue;
    first_[slice] = ~scattered;
    scattered += lanes(slice);
  }
  scattered_ = Buffer<LocalIndex>(scattered);
}

LocalIndex SlicedRows::lanes(std::int64_t slice) const {
  return static_cast<LocalIndex>(std::min<std::int64_t>(c_, rows_.count - slice * c_));
}

LocalIndex SlicedRows::row(std::int64_t slice, LocalIndex lane) const {
  const auto position = static_cast<LocalIndex>(slice * c_ + lane);
  return rows_[order_.empty() ? position : order_[position]];
}

void SlicedRows::store(std::int64_t slice) {
  if (first_[slice] >= 0) return;
  for (LocalIndex l = 0; l < lanes(slice); ++l) scattered_[~first_[slice] + l] = row(slice, l);
}

void SlicedRows::close() {
  std::vector<LocalIndex>().swap(order_);
}

SlicedRows slices_of_rows(const CsrView& matrix, RowListView list, LocalIndex c,
                          std::int64_t& sigma) {
  if (sigma != 0) return {matrix, list, c, sigma};
  const Offset wanted = listed_nonzeros(matrix, list) / 10 * 11;
  SlicedRows best;
  Offset fewest = 0;
  for (const std::int64_t candidate :
       {std::int64_t{1}, std::int64_t{4} * c, std::int64_t{8} * c, std::int64_t{1} << 10,
        std::int64_t{1} << 14, std::max<std::int64_t>(list.count, 1)}) {
    SlicedRows rows(matrix, list, c, candidate);
    const Offset slots = padded_slots(matrix, rows);
    if (candidate == 1 || slots < fewest) {
      best = std::move(rows);
      fewest = slots;
      sigma = candidate;
    }
    if (fewest <= wanted || candidate >= list.count) break;
  }
  return best;
}

}  // namespace rowhalo

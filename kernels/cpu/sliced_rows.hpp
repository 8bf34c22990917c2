// SPDX-License-Identifier: BSD-3-Clause
//
// Which rows stand in which lanes of sell and asell: the listed rows cut into slices of c, after
// sorting the rows of each window of sigma rows by falling length (Kreutzer et al., see sell.cpp),
// which saves padding. Consecutive rows of a slice are kept as the first of them, others as a list,
// so that y is written to its natural rows all the same.
#pragma once

#include <vector>

#include "kernels/bits.hpp"
#include "kernels/cpu/buffer.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// What a product reads of it.
struct SlicedRowsView {
  LocalIndex count;         ///< rows in all slices
  const LocalIndex* first;  ///< first of the slice's consecutive rows, or ~(position in scattered)
  const LocalIndex* scattered;
};

/// Writes the rows of a slice from the sums of its lanes.
template <class T>
[[gnu::always_inline]] inline void finish_slice(const SlicedRowsView& rows, std::int64_t slice,
                                                const T* sums, LocalIndex lanes, T alpha, T beta,
                                                T* y) {
  const LocalIndex first = rows.first[slice];
  if (first >= 0) {
    for (LocalIndex l = 0; l < lanes; ++l) finish_row(alpha, sums[l], beta, y[first + l]);
  } else {
    const LocalIndex* scattered = rows.scattered + ~first;
    for (LocalIndex l = 0; l < lanes; ++l) finish_row(alpha, sums[l], beta, y[scattered[l]]);
  }
}

/// Positions in the row list, sorted by falling row length within windows of sigma; equal lengths
/// keep their order. Empty where nothing is sorted.
std::vector<LocalIndex> sorted_positions(const CsrView& matrix, RowListView rows,
                                         std::int64_t sigma);

class SlicedRows {
 public:
  SlicedRows() = default;
  SlicedRows(const CsrView& matrix, RowListView rows, LocalIndex c, std::int64_t sigma);

  std::int64_t slices() const { return slices_; }
  /// Rows of the slice: c, or fewer in the last.
  LocalIndex lanes(std::int64_t slice) const;
  /// The row in a lane; only until close().
  LocalIndex row(std::int64_t slice, LocalIndex lane) const;
  /// Fills in the rows of a slice, on the thread that will read them.
  void store(std::int64_t slice);
  /// The same row once the slice has been stored.
  LocalIndex stored_row(std::int64_t slice, LocalIndex lane) const {
    const LocalIndex first = first_[slice];
    return first >= 0 ? first + lane : scattered_[~first + lane];
  }
  /// Ends the building: frees what only that needed.
  void close();

  SlicedRowsView view() const { return {rows_.count, first_.data(), scattered_.data()}; }
  std::int64_t bytes() const { return first_.bytes() + scattered_.bytes(); }

 private:
  RowListView rows_;
  LocalIndex c_ = 1;
  std::int64_t slices_ = 0;
  std::vector<LocalIndex> order_;
  Buffer<LocalIndex> first_, scattered_;
};

/// Slices of c rows, sorted within windows of `sigma`; 0 is replaced by the smallest window with at
/// most 10 % padding, or the one with least. Small windows keep rows together that read the same
/// entries of x.
SlicedRows slices_of_rows(const CsrView& matrix, RowListView list, LocalIndex c,
                          std::int64_t& sigma);

}  // namespace rowhalo

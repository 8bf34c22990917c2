// SPDX-License-Identifier: BSD-3-Clause
//
// Rows that are much longer than the others of a list, for sliced formats: a slice of 32 rows would
// be padded to the length of the longest. They stay in the CSR arrays, and a thread sums up to four
// of them at a time, because the sum of one row is a chain of dependent fma's:
//   for k, for each row r of the group that has a k-th entry: s[r] = fma(values, x[index], s[r])
// Each row keeps its order, so the bits are those of csr.
#pragma once

#include <utility>
#include <vector>

#include "kernels/bits.hpp"
#include "kernels/product_arguments.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

inline constexpr int long_rows_side_by_side = 4;

/// What a product reads of it.
template <class T>
struct LongRowsView {
  const Offset* offsets;
  const LocalIndex* indices;
  const T* values;
  const LocalIndex* rows;    ///< in groups, by falling length in each
  const LocalIndex* groups;  ///< where each begins, one more behind the last
};

class LongRows {
 public:
  LongRows() = default;
  /// No row is long.
  explicit LongRows(RowListView rows) : all_(rows) {}
  /// A row is long if it has more than 512 entries and more than 16 times the mean of the list.
  LongRows(const CsrView& matrix, RowListView rows);

  std::int64_t count() const { return std::ssize(rows_); }
  std::int64_t groups() const { return std::ssize(starts_) - 1; }
  Offset nonzeros() const { return before_.back(); }
  /// Of the groups below.
  Offset nonzeros_before(std::int64_t group) const { return before_[group]; }
  /// The rows of a group.
  const LocalIndex* begin(std::int64_t group) const { return rows_.data() + starts_[group]; }
  LocalIndex size(std::int64_t group) const { return starts_[group + 1] - starts_[group]; }
  /// The list without them; it points into this object if any row is long.
  RowListView others() const { return rows_.empty() ? all_ : others_.view(); }

  template <class T>
  LongRowsView<T> view(const CsrView& matrix) const {
    return {matrix.offsets, matrix.indices, static_cast<const T*>(matrix.values), rows_.data(),
            starts_.data()};
  }
  std::int64_t bytes() const {
    if (rows_.empty()) return 0;
    return static_cast<std::int64_t>((rows_.size() + starts_.size()) * sizeof(LocalIndex));
  }

 private:
  RowListView all_;
  RowList others_;
  std::vector<LocalIndex> rows_, starts_ = {0};
  std::vector<Offset> before_ = {0};
};

/// Adds to sums[0 .. width) the entries from the k-th on, and goes on with fewer rows where the
/// last of them ends.
template <int width, class T>
[[gnu::always_inline]] inline void add_side_by_side(const LongRowsView<T>& a, const T* x,
                                                    const LocalIndex* rows, Offset k, T* sums) {
  const T* values[width];
  const LocalIndex* indices[width];
  T own[width];
  for (int r = 0; r < width; ++r) {
    values[r] = a.values + a.offsets[rows[r]];
    indices[r] = a.indices + a.offsets[rows[r]];
    own[r] = sums[r];
  }
  const LocalIndex last = rows[width - 1];
  const Offset end = a.offsets[last + 1] - a.offsets[last];
  for (; k < end; ++k) {
#pragma GCC unroll 4
    for (int r = 0; r < width; ++r) {
      own[r] = fused_multiply_add(values[r][k], x[indices[r][k]], own[r]);
    }
  }
  for (int r = 0; r < width; ++r) sums[r] = own[r];
  if constexpr (width > 1) add_side_by_side<width - 1>(a, x, rows, k, sums);
}

/// Groups [begin, end).
template <class T>
[[gnu::always_inline]] inline void multiply_long_rows(const LongRowsView<T>& a,
                                                      const ProductArguments<T>& product,
                                                      std::int64_t begin, std::int64_t end) {
  for (std::int64_t group = begin; group < end; ++group) {
    const LocalIndex* rows = a.rows + a.groups[group];
    const LocalIndex count = a.groups[group + 1] - a.groups[group];
    T sums[long_rows_side_by_side] = {};
    switch (count) {
      case 4:
        add_side_by_side<4>(a, product.x, rows, 0, sums);
        break;
      case 3:
        add_side_by_side<3>(a, product.x, rows, 0, sums);
        break;
      case 2:
        add_side_by_side<2>(a, product.x, rows, 0, sums);
        break;
      default:
        add_side_by_side<1>(a, product.x, rows, 0, sums);
    }
    for (LocalIndex r = 0; r < count; ++r) {
      finish_row(product.alpha, sums[r], product.beta, product.y[rows[r]]);
    }
  }
}

}  // namespace rowhalo

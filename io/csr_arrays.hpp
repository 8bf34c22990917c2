// SPDX-License-Identifier: BSD-3-Clause
//
// The arrays of compressed rows (CSR), as HDF5 files and scipy's .npz hold them, checked while a
// rank reads its own. Of compressed columns (CSC) rows and columns change their names. Local.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "partition/base/errors.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// The offsets that stand in matrix.offsets, checked against all `nonzeros`, become relative to the
/// first, which is returned. `place` names the array. Throws InputError.
inline Offset take_offsets(const std::string& place, bool by_columns, GlobalIndex nonzeros,
                           DistributedCsr& matrix) {
  const GlobalIndex first = matrix.first_row;
  const char* what = by_columns ? "column" : "row";
  const auto& offsets = matrix.offsets;
  for (GlobalIndex k = 0; k < std::ssize(offsets); ++k) {
    if (k > 0 && offsets[k] < offsets[k - 1]) {
      throw InputError(fmt::format("{}: falls from {} to {} at {} {}; make the file again", place,
                                   offsets[k - 1], offsets[k], what, first + k - 1),
                       first + k);
    }
    if (offsets[k] < 0 || offsets[k] > nonzeros) {
      throw InputError(
          fmt::format("{}: holds {} for {} {}, but there are {} entries; make the file again",
                      place, offsets[k], what, first + k, nonzeros),
          first + k);
    }
  }
  const Offset begin = offsets.front();
  for (Offset& offset : matrix.offsets) offset -= begin;
  return begin;
}

/// Looks at the columns of a rank's rows while they are read: throws InputError for one that is not
/// of the matrix, and counts where they do not ascend inside a row. All of it is done on pieces
/// that are in the cache, by loops without branches.
class ColumnCheck {
 public:
  ColumnCheck(const DistributedCsr& matrix, std::string place, bool by_columns)
      : matrix_(matrix), place_(std::move(place)), by_columns_(by_columns) {}

  template <class Stored>
  void operator()(std::span<const Stored> piece) {
    const auto size = static_cast<std::int64_t>(piece.size());
    if (any_outside(piece)) refuse(piece);
    const auto falls_at = [&](std::int64_t k) {
      return piece[k] <= (k == 0 ? last_ : static_cast<GlobalIndex>(piece[k - 1]));
    };
    std::int64_t falls = falls_at(0);
    for (std::int64_t k = 1; k < size; ++k) falls += piece[k] <= piece[k - 1];
    // From one row to the next they may fall.
    const auto& offsets = matrix_.offsets;
    for (; row_ < matrix_.local_rows() && offsets[row_] < position_ + size; ++row_) {
      if (offsets[row_] < offsets[row_ + 1]) falls -= falls_at(offsets[row_] - position_);
    }
    falls_ += falls;
    position_ += size;
    last_ = piece.back();
  }

  bool ascending() const { return falls_ == 0; }

 private:
  /// The sign bit of either number tells: column, or last column - column.
  template <class Stored>
  bool any_outside(std::span<const Stored> piece) const {
    using Bits = std::make_unsigned_t<Stored>;
    constexpr GlobalIndex largest = std::numeric_limits<Stored>::max();
    const auto last_column = static_cast<Bits>(std::min(matrix_.info.columns - 1, largest));
    Bits signs = 0;
    for (const Stored column : piece) {
      signs |= static_cast<Bits>(column) | (last_column - static_cast<Bits>(column));
    }
    return static_cast<Stored>(signs) < 0;
  }

  template <class Stored>
  [[noreturn]] void refuse(std::span<const Stored> piece) const {
    const auto wrong = std::find_if(piece.begin(), piece.end(), [&](Stored column) {
      return column < 0 || column >= matrix_.info.columns;
    });
    const auto end = std::upper_bound(matrix_.offsets.begin(), matrix_.offsets.end(),
                                      position_ + (wrong - piece.begin()));
    const GlobalIndex row = matrix_.first_row + (end - matrix_.offsets.begin()) - 1;
    throw InputError(
        fmt::format("{}: holds {} in {} {}, but {} are numbered from 0 to {}; make the file again",
                    place_, *wrong, by_columns_ ? "column" : "row", row,
                    by_columns_ ? "rows" : "columns", matrix_.info.columns - 1),
        row);
  }

  const DistributedCsr& matrix_;
  std::string place_;
  bool by_columns_;
  std::int64_t position_ = 0;  ///< of the next piece
  GlobalIndex row_ = 0;        ///< the first that begins there or later
  GlobalIndex last_ = -1;      ///< column before the next piece
  std::int64_t falls_ = 0;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Cuts b rows into blocks of b columns, from left to right: a block begins at the lowest column
// that comes next in any of the rows, and takes from each row what comes next, ascends and lies in
// it. Every row thereby keeps its stored order, in whatever order its columns stand. Blocks begin
// anywhere, as ghosts do.
#pragma once

#include "kernels/gpu/warp/bits.cuh"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

template <int b>
class BlockMerge {
 public:
  static constexpr unsigned none = ~0u;  ///< more than any column, by more than b

  /// Rows b * block_row and so on of the list; those beyond its end have no entries.
  __device__ BlockMerge(const CsrView& matrix, RowListView rows, std::int64_t block_row)
      : indices_(matrix.indices) {
#pragma unroll
    for (int r = 0; r < b; ++r) {
      const std::int64_t k = block_row * b + r;
      next_[r] = end_[r] = 0;
      if (k < rows.count) {
        const LocalIndex row = rows[static_cast<LocalIndex>(k)];
        next_[r] = matrix.offsets[row];
        end_[r] = matrix.offsets[row + 1];
      }
      read_head(r);
    }
  }

  /// Entries that are left.
  __device__ Offset left() const {
    Offset entries = 0;
#pragma unroll
    for (int r = 0; r < b; ++r) entries += end_[r] - next_[r];
    return entries;
  }

  /// The first column of the next block, or none.
  __device__ unsigned lowest() const {
    unsigned column = none;
#pragma unroll
    for (int r = 0; r < b; ++r) column = min(column, head_[r]);
    return column;
  }

  /// Takes the block that begins at `column`, the lowest: visit(r, c, e) for all its places, with e
  /// the entry that lies there, or -1. Nothing is left where that is none.
  template <class Visit>
  __device__ void take(unsigned column, const Visit& visit) {
    if (column == none) column = 0;  // which no row has next
#pragma unroll
    for (int c = 0; c < b; ++c) {
#pragma unroll
      for (int r = 0; r < b; ++r) {
        const bool there = head_[r] - column == static_cast<unsigned>(c);
        visit(r, c, there ? next_[r] : Offset{-1});
        if (!there) continue;
        ++next_[r];
        read_head(r);
      }
    }
  }

 private:
  __device__ void read_head(int r) {
    head_[r] = next_[r] < end_[r] ? static_cast<unsigned>(cached(indices_ + next_[r])) : none;
  }

  const LocalIndex* indices_;
  Offset next_[b], end_[b];
  unsigned head_[b];
};

}  // namespace rowhalo

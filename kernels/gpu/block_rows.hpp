// SPDX-License-Identifier: BSD-3-Clause
//
// Blocked CSR on the device, for bsr and blocked-ell: the listed rows in groups of b, each with the
// aligned blocks of b columns in which any of them has an entry. Blocks that are not full keep a
// bit an entry, so that what fills them up never touches x.
#pragma once

#include "kernels/gpu/runtime.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"
#include "partition/base/spec.hpp"

namespace rowhalo {

inline constexpr int smallest_block_size = 2, largest_block_size = 8;

struct BlockRows {
  int size = 1;                     ///< b
  LocalIndex count = 0;             ///< of block rows; the last may have fewer than b rows
  DeviceArray<Offset> offsets;      ///< count + 1, in blocks
  DeviceArray<LocalIndex> columns;  ///< of each block; its first column is b times that
  DeviceMemory values;              ///< b * b a block, its columns one after the other
  /// Bit c * b + r of a block: entry (r, c) is there. Empty when every block is full.
  DeviceArray<unsigned long long> masks;

  std::int64_t blocks() const { return columns.size(); }
  std::int64_t slots() const { return blocks() * size * size; }
  std::int64_t bytes() const {
    return offsets.bytes() + columns.bytes() + static_cast<std::int64_t>(values.bytes()) +
           masks.bytes();
  }
};

/// The size that `b=` says, else the matrix itself. Throws InputError when neither does, or when
/// the listed rows are not whole blocks.
int block_size_option(const CsrView& matrix, RowListView rows, const Spec& options);

/// Sorts the entries by block (CUB) and copies them into theirs. Throws InputError when the blocks
/// would be padded more than max_padding allows.
BlockRows make_block_rows(const CsrView& matrix, RowListView rows, int size, const Spec& options);

}  // namespace rowhalo

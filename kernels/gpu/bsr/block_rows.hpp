// SPDX-License-Identifier: BSD-3-Clause
//
// Sliced blocks on the device, for bsr and blocked-ell: b consecutive rows of the list are a block
// row, cut into blocks of b x b (block_merge.cuh); block rows lie side by side in slices, padded to
// the longest of the slice, as rows do in sliced ELLPACK:
//   block `step` of block row p of slice s:  first = begins[s] + step * slice
//     its first column   columns[first + p], or columns[first + p] + bases[s]
//     its entry (r, c)   values[first * b * b + chunk.first * lanes + lane * chunk.width +
//                               c - chunk.first]
//                        with lanes = slice * b, lane = p * b + r, chunk = chunk_of(c)
// so that neighbouring rows lie side by side, and of each the columns that one load fetches.
// Padding and what blocks lack are holes (holes.cuh).
#pragma once

#include "kernels/block_size.hpp"
#include "kernels/gpu/device/runtime.hpp"

namespace rowhalo {

inline constexpr int bsr_threads = 128;  ///< per thread block

/// Columns of a block that are fetched by one load.
struct Chunk {
  int first, width;
};
/// The chunk of column `c`: at most `widest` columns, a power of two, fewer where b ends.
constexpr Chunk chunk_of(int c, int b, int widest) {
  Chunk chunk{0, widest};
  while (true) {
    while (chunk.width > b - chunk.first) chunk.width /= 2;
    if (c < chunk.first + chunk.width) return chunk;
    chunk.first += chunk.width;
  }
}

struct BlockRows {
  int size = 1;                   ///< b
  LocalIndex count = 0;           ///< of block rows; the last may have fewer than b rows
  LocalIndex slice = 1;           ///< block rows side by side
  int widest_chunk = 1;           ///< columns that a load may fetch
  bool full = false;              ///< no block lacks an entry
  DeviceArray<Offset> begins;     ///< a slice, and the end: in blocks
  DeviceArray<LocalIndex> bases;  ///< a slice; empty where columns have 32 bits
  DeviceMemory columns;           ///< a slot: 16 bits, or 32
  DeviceMemory values;
  DeviceArray<LocalIndex> order;  ///< block rows as they stand in the slices; empty: in order

  std::int64_t slices() const { return begins.size() - 1; }
  std::int64_t bytes() const {
    return begins.bytes() + bases.bytes() + order.bytes() + columns.bytes() + values.bytes();
  }
  /// "b=3 fill=0.97 columns=16": what a format says that it chose.
  std::string parameters(Offset nonzeros) const {
    return describe_blocks(size, nonzeros, values_count) +
           " columns=" + (bases.size() > 0 ? "16" : "32") + (order.size() > 0 ? " sorted" : "");
  }

  std::int64_t values_count = 0;  ///< entries and holes
};

/// How make_block_rows lays slices out.
struct SliceLayout {
  LocalIndex slice = 32;  ///< 32; 0: all block rows
  int widest_chunk = 1;   ///< a power of two
  bool columns16 = true;  ///< 16 bits where they suffice for every slice
  bool sort = true;       ///< by length within windows, where that saves enough padding
};

/// Blocks of the size that choose_block_size() says. Throws InputError also when the listed rows
/// are not whole blocks of a size that was told, when the blocks would be padded more than
/// max_padding allows, or when a measured size turns out to need more bytes than CSR.
BlockRows make_block_rows(const CsrView& matrix, RowListView rows, const SliceLayout& layout,
                          const Spec& options);

/// Copies the values anew, in the order of `stream`; there are rows.
void fill_block_values(const CsrView& matrix, RowListView rows, const BlockRows& blocks,
                       Stream stream);

}  // namespace rowhalo

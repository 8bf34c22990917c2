// SPDX-License-Identifier: BSD-3-Clause
//
// What the kernels of bsr for one vector (bsr.cu) and for several (bsr_several.cu) share: what they
// are given, and how a lane loads a row of a block.
#pragma once

#include <cstring>

#include "kernels/gpu/bsr/block_rows.hpp"
#include "kernels/gpu/device/number_types.hpp"
#include "kernels/gpu/warp/bits.cuh"

namespace rowhalo {

inline constexpr LocalIndex slice_size = 32;  ///< block rows

template <class Numbers>
struct BsrArguments : ProductOf<Numbers> {
  const Offset* begins;
  const LocalIndex* bases;  ///< null: columns have 32 bits
  const void* columns;
  const typename Numbers::Matrix* values;
  const LocalIndex* order;  ///< null: block rows in order
  std::int64_t slices;
  LocalIndex block_rows, last_column;
  RowListView rows;
};

/// Columns that a load of 16 bytes fetches.
template <class Matrix>
inline constexpr int widest_chunk = 16 / sizeof(Matrix);

template <std::size_t bytes>
using WordOf = std::conditional_t<
    bytes == 16, int4,
    std::conditional_t<bytes == 8, int2, std::conditional_t<bytes == 4, int, short>>>;

/// Column `c` and those behind it of one row of a block whose values begin at `values`.
template <int b, int c = 0, class Matrix, class Index>
__device__ void load_row(const Matrix* values, Index lane, Matrix* row) {
  if constexpr (c < b) {
    constexpr int width = chunk_of(c, b, widest_chunk<Matrix>).width;
    using Word = WordOf<width * sizeof(Matrix)>;
    const Matrix* place = values + c * slice_size * b + lane * width;
    const Word word = streamed(reinterpret_cast<const Word*>(place));
    std::memcpy(row + c, &word, sizeof(word));
    load_row<b, c + width>(values, lane, row);
  }
}

/// The product of several vectors, of blocks of b x b; there are rows. Of fp64, fp32 and mixed.
template <class Numbers>
void launch_bsr_several(const BsrArguments<Numbers>& arguments, int b, const LocalProduct& product,
                        cudaStream_t stream);

}  // namespace rowhalo

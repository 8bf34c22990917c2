// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions of layouts on a GPU (layouts.hpp):
//   for row, k: rows[row * vectors + k] = columns[k * leading + row], or the other way
// A thread block of 256 threads has a tile of 64 rows of all vectors. In row layout that is one
// piece of memory, in column layout a piece of 64 entries per vector; both are read and written
// side by side, and shared memory turns one into the other. A row of the tile is an odd number of
// entries apart from the next, so that threads meet different banks. Bytes: each entry read and
// written once.
#include "kernels/gpu/device/launch.hpp"
#include "kernels/local_product.hpp"
#include "miniapp/halo/element_word.hpp"
#include "miniapp/spmv/layouts.hpp"

namespace rowhalo {

namespace {

constexpr int tile_rows = 64, layout_threads = 256;
constexpr int longest_row = most_vectors | 1;

/// A tile: where place t of row layout, or of column layout, is in shared memory.
struct Tile {
  unsigned vectors, pitch, reciprocal;

  __device__ explicit Tile(unsigned vectors)
      : vectors(vectors), pitch(vectors | 1), reciprocal((1u << 16) / vectors + 1) {}
  /// t / vectors is exact for all t of a tile: t * vectors < 2^16.
  __device__ unsigned of_rows(unsigned t) const {
    const unsigned row = t * reciprocal >> 16;
    return row * pitch + (t - row * vectors);
  }
};
static_assert(tile_rows * most_vectors * most_vectors <= 1 << 16);

template <class Word>
__global__ void __launch_bounds__(layout_threads)
    to_rows(std::int64_t rows, int vectors, const Word* __restrict__ columns, std::int64_t leading,
            Word* __restrict__ in_rows) {
  __shared__ Word tile[tile_rows * longest_row];
  const Tile places(vectors);
  const std::int64_t begin = std::int64_t{blockIdx.x} * tile_rows;
  const int count = static_cast<int>(min(std::int64_t{tile_rows}, rows - begin));
  for (int t = threadIdx.x; t < tile_rows * vectors; t += layout_threads) {
    const int k = t / tile_rows, row = t % tile_rows;
    if (row < count) tile[row * places.pitch + k] = columns[k * leading + begin + row];
  }
  __syncthreads();
  for (int t = threadIdx.x; t < count * vectors; t += layout_threads) {
    in_rows[begin * vectors + t] = tile[places.of_rows(t)];
  }
}

template <class Word>
__global__ void __launch_bounds__(layout_threads)
    to_columns(std::int64_t rows, int vectors, const Word* __restrict__ in_rows,
               Word* __restrict__ columns, std::int64_t leading) {
  __shared__ Word tile[tile_rows * longest_row];
  const Tile places(vectors);
  const std::int64_t begin = std::int64_t{blockIdx.x} * tile_rows;
  const int count = static_cast<int>(min(std::int64_t{tile_rows}, rows - begin));
  for (int t = threadIdx.x; t < count * vectors; t += layout_threads) {
    tile[places.of_rows(t)] = in_rows[begin * vectors + t];
  }
  __syncthreads();
  for (int t = threadIdx.x; t < tile_rows * vectors; t += layout_threads) {
    const int k = t / tile_rows, row = t % tile_rows;
    if (row < count) columns[k * leading + begin + row] = tile[row * places.pitch + k];
  }
}

}  // namespace

void convert_layout_on_device(std::int64_t rows, const ConstVectorsView& from,
                              const VectorsView& to, Stream stream) {
  const unsigned blocks = blocks_for(rows, tile_rows);
  const int vectors = from.shape.vectors;
  with_element_word(from.shape.type, [&]<class Word>(Word) {
    const auto* read = static_cast<const Word*>(from.data);
    auto* written = static_cast<Word*>(to.data);
    if (to.shape.layout == Layout::row) {
      to_rows<<<blocks, layout_threads, 0, native(stream)>>>(rows, vectors, read,
                                                             from.shape.leading, written);
    } else {
      to_columns<<<blocks, layout_threads, 0, native(stream)>>>(rows, vectors, read, written,
                                                                to.shape.leading);
    }
  });
  ROWHALO_CUDA(cudaGetLastError());
}

}  // namespace rowhalo

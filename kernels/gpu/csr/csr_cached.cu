// SPDX-License-Identifier: BSD-3-Clause
//
// csr-cached: one thread per row of CSR, with a window of x in shared memory, since neighbouring
// rows of a banded matrix refer to the same entries again and again. Each thread block has
// window= entries that begin at the smallest column of its rows; columns beyond it are read from x
// itself:
//   its threads load window[c] = x[first + c]; then for thread k: i = rows[k]; s = +0
//     for e in [offsets[i], offsets[i + 1]): c = indices[e] - first
//       s = fma(values[e], c < length ? window[c] : x[indices[e]], s)
// The bits of csr.
//
// Bytes of the matrix: those of csr-scalar, and 4 per thread block.
#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/warp/bits.cuh"

namespace rowhalo {
namespace {

constexpr int cached_threads = 256;
constexpr std::int64_t default_window = 2048;
template <class T>
struct CachedArguments : ProductArguments<T> {
  CsrView matrix;
  const LocalIndex* firsts;  ///< of the window of each block
  LocalIndex window;
  RowListView rows;
};

template <class T>
__global__ void csr_cached_kernel(CachedArguments<T> a) {
  extern __shared__ double shared[];
  T* window = reinterpret_cast<T*>(shared);
  const LocalIndex first = a.firsts[blockIdx.x];
  const LocalIndex length = min(a.window, a.matrix.columns - first);
  for (LocalIndex c = threadIdx.x; c < length; c += blockDim.x) window[c] = cached(a.x + first + c);
  __syncthreads();
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  const LocalIndex row = a.rows[static_cast<LocalIndex>(k)];
  const T* values = static_cast<const T*>(a.matrix.values);
  const Offset end = a.matrix.offsets[row + 1];
  T sum = 0;
#pragma unroll 4
  for (Offset e = a.matrix.offsets[row]; e < end; ++e) {
    const LocalIndex column = cached(a.matrix.indices + e), place = column - first;
    const T factor = place < length ? window[place] : cached(a.x + column);
    sum = fused_multiply_add(cached(values + e), factor, sum);
  }
  finish_row(a.alpha, sum, a.beta, a.y[row]);
}

/// The smallest column of the rows of each thread block of the product; of none, beyond all.
DeviceArray<LocalIndex> first_of_blocks(const CsrView& matrix, RowListView rows, int block) {
  auto firsts = filled_array<LocalIndex>(blocks_for(rows.count, block), 0x7f);
  for_each_row(matrix, rows,
               [=, firsts = firsts.data()] __device__(std::int64_t k, const RowEntries& row) {
                 LocalIndex own = matrix.columns;
                 for (Offset e = row.begin; e < row.end; ++e) own = min(own, matrix.indices[e]);
                 atomicMin(&firsts[k / block], own);
               });
  return firsts;
}

template <class T>
class CsrCachedKernel final : public DeviceFormat {
 public:
  CsrCachedKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows),
        block_(block_option(options, cached_threads)),
        window_(
            static_cast<LocalIndex>(options.integer("window", default_window, 1, largest_window))),
        firsts_(first_of_blocks(matrix, rows, block_)) {}

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    const std::size_t bytes = static_cast<std::size_t>(window_) * sizeof(T);
    csr_cached_kernel<T><<<blocks_for(rows_.count, block_), block_, bytes, stream>>>(
        {product, csr_, firsts_.data(), window_, rows_});
  }

  /// What every device gives a thread block without being asked: 48 KiB.
  static constexpr std::int64_t largest_window = (48 << 10) / sizeof(T) - 1;

  std::int64_t stored_entries() const override { return listed_nonzeros_on_device(csr_, rows_); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return csr_matrix_bytes(counts, sizeof(T)) + firsts_.bytes();
  }
  std::int64_t footprint_bytes() const override { return firsts_.bytes(); }

  std::optional<LaneUse> lanes() const override { return lane_use(csr_, rows_, 1); }

  int block_;
  LocalIndex window_;
  DeviceArray<LocalIndex> firsts_;
};

}  // namespace

const FormatParts csr_cached_format{make_with_wide_numbers<CsrCachedKernel>, {"window", "block"}};

}  // namespace rowhalo

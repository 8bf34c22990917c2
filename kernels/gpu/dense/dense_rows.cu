// SPDX-License-Identifier: BSD-3-Clause
//
// dense-global, -coalesced, -constant, -shared and -shuffle: the dense product with one thread per
// row, `block=` threads per thread block.
//
// dense-global, as one writes it first, rows one after the other:
//   for thread k: s = +0; for e in [0, columns): s = fma(values[k * leading + e], x[e], s)
// The threads of a warp read addresses a row apart: every load of a warp touches 32 sectors, of
// which one number each is used at a time.
//
// dense-coalesced, columns one after the other:
//   for thread k: s = +0; for e in [0, columns): s = fma(values[k + e * leading], x[e], s)
// A load of a warp is one stretch of memory; all of its threads read the same x[e].
//
// dense-constant, the same with x in constant memory, which serves one number to all threads of a
// warp at once. It holds 64 KiB, so x comes in batches, each a copy and a launch that goes on with
// the sums of the one before:
//   for each batch: copy it; for thread k: s = first batch ? +0 : sums[k]; for e in the batch:
//     s = fma(values[k + e * leading], batch[e], s); sums[k] = s, or y_i after the last batch
//
// dense-shared, the same with x in shared memory, a tile as long as the thread block at a time:
//   for each tile: its threads load it, one entry each; then
//     for thread k: for e in the tile: s = fma(values[k + e * leading], tile[e], s)
//
// dense-shuffle, the same with x in registers: each lane of a warp holds one of 32 neighbouring
// entries and hands it to the others in turn:
//   for each 32 entries: lane l loads x[first + l]; for u in [0, 32):
//     s = fma(values[k + (first + u) * leading], x of lane u, s)
#include "kernels/gpu/dense/dense_kernel.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class Numbers>
__global__ void dense_global_kernel(DenseArguments<Numbers> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  typename Numbers::Sum sum = 0;
  for (LocalIndex e = 0; e < a.columns; ++e) {
    sum = fused_multiply_add(a.values[k * a.leading + e], a.x[e], sum);
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

template <class Numbers>
__global__ void dense_coalesced_kernel(DenseArguments<Numbers> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  typename Numbers::Sum sum = 0;
#pragma unroll 8
  for (LocalIndex e = 0; e < a.columns; ++e) {
    sum = fused_multiply_add(streamed(a.values + k + e * a.leading), cached(a.x + e), sum);
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

constexpr int largest_block = 1024;

template <class Numbers>
__global__ void dense_shared_kernel(DenseArguments<Numbers> a) {
  __shared__ typename Numbers::Vector tile[largest_block];
  const std::int64_t k = thread_index();
  const bool has_row = k < a.rows.count;
  const auto length = static_cast<LocalIndex>(blockDim.x);
  typename Numbers::Sum sum = 0;
  for (LocalIndex first = 0; first < a.columns; first += length) {
    const LocalIndex left = min(length, a.columns - first);
    if (threadIdx.x < left) tile[threadIdx.x] = a.x[first + threadIdx.x];
    __syncthreads();
    if (has_row) {
#pragma unroll 8
      for (LocalIndex e = 0; e < left; ++e) {
        sum = fused_multiply_add(streamed(a.values + k + (first + e) * a.leading), tile[e], sum);
      }
    }
    __syncthreads();
  }
  if (has_row) finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

template <class Numbers>
__global__ void dense_shuffle_kernel(DenseArguments<Numbers> a) {
  const std::int64_t k = thread_index();
  const int lane = threadIdx.x % warp_size;
  // Threads beyond the last row stay for the shuffles.
  const bool has_row = k < a.rows.count;
  const auto* column = a.values + (has_row ? k : 0);
  typename Numbers::Sum sum = 0;
  for (LocalIndex first = 0; first < a.columns; first += warp_size) {
    const LocalIndex left = min(LocalIndex{warp_size}, a.columns - first);
    const auto own = lane < left ? cached(a.x + first + lane) : typename Numbers::Vector{};
#pragma unroll 8
    for (LocalIndex u = 0; u < left; ++u, column += a.leading) {
      sum = fused_multiply_add(streamed(column), __shfl_sync(all_lanes, own, u), sum);
    }
  }
  if (has_row) finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

constexpr std::size_t constant_bytes = 64 << 10;

__constant__ double batch_of_x[constant_bytes / sizeof(double)];

/// Entries [first, last) of every row.
template <class Numbers>
__global__ void dense_constant_kernel(DenseArguments<Numbers> a, LocalIndex first,
                                      LocalIndex last) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  const auto* x = reinterpret_cast<const typename Numbers::Vector*>(batch_of_x);
  typename Numbers::Sum sum = first == 0 ? 0 : a.sums[k];
#pragma unroll 8
  for (LocalIndex e = first; e < last; ++e) {
    sum = fused_multiply_add(streamed(a.values + k + e * a.leading), x[e - first], sum);
  }
  if (last < a.columns) {
    a.sums[k] = sum;
  } else {
    finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
  }
}

template <class T>
using OneType = NumberTypes<T, T, T>;
constexpr int default_block = 256;

/// One launch of `kernel`.
template <class T, auto kernel, DenseBlock::Layout layout = DenseBlock::Layout::columns>
class DenseRowsKernel final : public DenseGpuKernel<OneType<T>> {
 public:
  DenseRowsKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DenseGpuKernel<OneType<T>>(matrix, rows, options, layout,
                                   block_option(options, default_block)) {}

 private:
  void launch(const DenseArguments<OneType<T>>& a, cudaStream_t stream) const override {
    kernel<<<blocks_for(a.rows.count, this->block_), this->block_, 0, stream>>>(a);
  }
};

template <class T>
using DenseGlobal = DenseRowsKernel<T, dense_global_kernel<OneType<T>>, DenseBlock::Layout::rows>;
template <class T>
using DenseCoalesced = DenseRowsKernel<T, dense_coalesced_kernel<OneType<T>>>;
template <class T>
using DenseShared = DenseRowsKernel<T, dense_shared_kernel<OneType<T>>>;
template <class T>
using DenseShuffle = DenseRowsKernel<T, dense_shuffle_kernel<OneType<T>>>;

template <class T>
class DenseConstant final : public DenseGpuKernel<OneType<T>> {
  using Base = DenseGpuKernel<OneType<T>>;

 public:
  DenseConstant(const CsrView& matrix, RowListView rows, const Spec& options)
      : Base(matrix, rows, options, DenseBlock::Layout::columns,
             block_option(options, default_block), Base::LaneSums::kept) {}

 private:
  void launch(const DenseArguments<OneType<T>>& a, cudaStream_t stream) const override {
    constexpr auto batch = static_cast<LocalIndex>(constant_bytes / sizeof(T));
    for (LocalIndex first = 0; first == 0 || first < a.columns; first += batch) {
      const LocalIndex last = a.columns - first < batch ? a.columns : first + batch;
      ROWHALO_CUDA(cudaMemcpyToSymbolAsync(batch_of_x, a.x + first,
                                           static_cast<std::size_t>(last - first) * sizeof(T), 0,
                                           cudaMemcpyDeviceToDevice, stream));
      dense_constant_kernel<<<blocks_for(a.rows.count, this->block_), this->block_, 0, stream>>>(
          a, first, last);
    }
  }
};

}  // namespace

const FormatParts dense_global_format{make_with_wide_numbers<DenseGlobal>, {"block"}};
const FormatParts dense_coalesced_format{make_with_wide_numbers<DenseCoalesced>, {"block"}};
const FormatParts dense_shared_format{make_with_wide_numbers<DenseShared>, {"block"}};
const FormatParts dense_shuffle_format{make_with_wide_numbers<DenseShuffle>, {"block"}};
const FormatParts dense_constant_format{make_with_wide_numbers<DenseConstant>, {"block"}};

}  // namespace rowhalo

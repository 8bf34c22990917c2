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

template <class Numbers>
void launch_constant(const DenseArguments<Numbers>& arguments, int block, cudaStream_t stream) {
  using Vector = typename Numbers::Vector;
  constexpr auto batch = static_cast<LocalIndex>(constant_bytes / sizeof(Vector));
  for (LocalIndex first = 0; first == 0 || first < arguments.columns; first += batch) {
    const LocalIndex last = arguments.columns - first < batch ? arguments.columns : first + batch;
    ROWHALO_CUDA(cudaMemcpyToSymbolAsync(batch_of_x, arguments.x + first,
                                         static_cast<std::size_t>(last - first) * sizeof(Vector), 0,
                                         cudaMemcpyDeviceToDevice, stream));
    dense_constant_kernel<<<blocks_for(arguments.rows.count, block), block, 0, stream>>>(
        arguments, first, last);
  }
}

template <class Numbers, auto kernel>
void launch_rows(const DenseArguments<Numbers>& arguments, int block, cudaStream_t stream) {
  kernel<<<blocks_for(arguments.rows.count, block), block, 0, stream>>>(arguments);
}

/// launch_of(Numbers{}) gives the DenseLaunch of the format.
template <class LaunchOf>
std::unique_ptr<SpmvKernel> make_dense_rows(const CsrView& matrix, RowListView rows,
                                            const Spec& options, DenseBlock::Layout layout,
                                            const LaunchOf& launch_of,
                                            LaneSums partial = LaneSums::none) {
  constexpr int default_block = 256;
  check_format_options(options, {"block"});
  const int block = block_option(options, default_block);
  return with_wide_numbers(matrix.precision, [&]<class T>() -> std::unique_ptr<SpmvKernel> {
    using Numbers = NumberTypes<T, T, T>;
    return std::make_unique<DenseGpuKernel<Numbers>>(matrix, rows, options, layout,
                                                     launch_of(Numbers{}), block, partial);
  });
}

}  // namespace

std::unique_ptr<SpmvKernel> make_dense_global(const CsrView& matrix, RowListView rows,
                                              const Spec& options) {
  return make_dense_rows(
      matrix, rows, options, DenseBlock::Layout::rows,
      []<class Numbers>(Numbers) { return launch_rows<Numbers, dense_global_kernel<Numbers>>; });
}

std::unique_ptr<SpmvKernel> make_dense_coalesced(const CsrView& matrix, RowListView rows,
                                                 const Spec& options) {
  return make_dense_rows(
      matrix, rows, options, DenseBlock::Layout::columns,
      []<class Numbers>(Numbers) { return launch_rows<Numbers, dense_coalesced_kernel<Numbers>>; });
}

std::unique_ptr<SpmvKernel> make_dense_shared(const CsrView& matrix, RowListView rows,
                                              const Spec& options) {
  return make_dense_rows(
      matrix, rows, options, DenseBlock::Layout::columns,
      []<class Numbers>(Numbers) { return launch_rows<Numbers, dense_shared_kernel<Numbers>>; });
}

std::unique_ptr<SpmvKernel> make_dense_shuffle(const CsrView& matrix, RowListView rows,
                                               const Spec& options) {
  return make_dense_rows(
      matrix, rows, options, DenseBlock::Layout::columns,
      []<class Numbers>(Numbers) { return launch_rows<Numbers, dense_shuffle_kernel<Numbers>>; });
}

std::unique_ptr<SpmvKernel> make_dense_constant(const CsrView& matrix, RowListView rows,
                                                const Spec& options) {
  const auto launch_of = []<class Numbers>(Numbers) { return launch_constant<Numbers>; };
  return make_dense_rows(matrix, rows, options, DenseBlock::Layout::columns, launch_of,
                         LaneSums::kept);
}

}  // namespace rowhalo

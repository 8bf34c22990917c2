// SPDX-License-Identifier: BSD-3-Clause
//
// dense-constant: dense-coalesced with x in constant memory, which serves one number to all threads
// of a warp at once. It holds 64 KiB, so x comes in batches, each a copy and a launch that goes on
// with the sums of the one before:
//   for each batch: copy it; for thread k: s = first batch ? +0 : sums[k]; for e in the batch:
//     s = fma(values[k + e * leading], batch[e], s); sums[k] = s, or y_i after the last batch
#include "kernels/formats.hpp"
#include "kernels/gpu/dense/dense_rows.cuh"

namespace rowhalo {
namespace {

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
void launch(const DenseArguments<Numbers>& arguments, int block, cudaStream_t stream) {
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

}  // namespace

std::unique_ptr<SpmvKernel> make_dense_constant(const CsrView& matrix, RowListView rows,
                                                const Spec& options) {
  const auto launch_of = []<class Numbers>(Numbers, int block) -> DenseLaunch<Numbers> {
    return [block](const DenseArguments<Numbers>& arguments, cudaStream_t stream) {
      launch(arguments, block, stream);
    };
  };
  return make_dense_rows(matrix, rows, options, DenseBlock::Layout::columns, launch_of,
                         LaneSums::kept);
}

}  // namespace rowhalo

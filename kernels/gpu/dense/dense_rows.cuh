// SPDX-License-Identifier: BSD-3-Clause
//
// The factory behind dense-global, -coalesced, -constant, -shared and -shuffle: one thread per row,
// `block=` threads per thread block.
#pragma once

#include "kernels/gpu/dense/dense_kernel.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/threads.cuh"
#include "kernels/options.hpp"

namespace rowhalo {

template <class Numbers>
DenseLaunch<Numbers> one_thread_per_row(void (*kernel)(DenseArguments<Numbers>), int block) {
  return [=](const DenseArguments<Numbers>& arguments, cudaStream_t stream) {
    kernel<<<blocks_for(arguments.rows.count, block), block, 0, stream>>>(arguments);
  };
}

/// launch_of(Numbers{}, block) gives the DenseLaunch of the format.
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
                                                     launch_of(Numbers{}, block), partial);
  });
}

}  // namespace rowhalo

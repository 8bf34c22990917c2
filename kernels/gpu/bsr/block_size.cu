// SPDX-License-Identifier: BSD-3-Clause
//
// The block size of formats on the device (block_size.hpp): the samples, and the check of the rows.
#include "kernels/gpu/bsr/block_size.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "kernels/gpu/warp/block_merge.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

constexpr std::int64_t sampled_groups = 2048;  // of 32 neighbours, spread over the block rows
constexpr unsigned most_blocks = 1024;         // of a block row: the rest is like what was seen

__global__ void find_split_blocks(RowListView rows, int size, int* found) {
  const std::int64_t item = thread_index();
  if (item >= rows.count) return;
  const auto k = static_cast<LocalIndex>(item);
  if (rows[k] - rows[k - k % size] != k % size) *found = 1;
}

/// One warp per group of block rows that begin `stride` apart.
template <int b>
__global__ void sample_blocks(CsrView matrix, RowListView rows, std::int64_t stride,
                              BlockSample* sample) {
  const std::int64_t thread = thread_index();
  const std::int64_t block_row = thread / warp_size * stride + thread % warp_size;
  BlockMerge<b> merge(matrix, rows, block_row);
  const Offset entries = merge.left();
  if (entries == 0) return;
  unsigned found = 0;
  for (; found < most_blocks && merge.left() > 0; ++found) {
    merge.take(merge.lowest(), [](int, int, Offset) {});
  }
  const double share = static_cast<double>(entries) / static_cast<double>(entries - merge.left());
  atomicAdd(&sample->entries, static_cast<unsigned long long>(entries));
  atomicAdd(&sample->blocks, static_cast<unsigned long long>(found * share));
}

/// Whether the rows of a block row are not consecutive anywhere.
bool has_split_blocks(RowListView rows, int size) {
  if (rows.groups == nullptr || rows.count == 0) return false;
  const auto found = filled_array<int>(1);
  launch_items(find_split_blocks, rows.count, rows, size, found.data());
  return found.back() != 0;
}

BlockSamples sample_block_sizes(const CsrView& matrix, RowListView rows) {
  BlockSamples samples;
  if (rows.count == 0) return samples;
  const DeviceArray<BlockSample> on_device{std::span<const BlockSample>(samples)};
  for (int size = smallest_block_size; size <= largest_block_size; ++size) {
    const std::int64_t block_rows = (std::int64_t{rows.count} + size - 1) / size;
    const std::int64_t stride = std::max<std::int64_t>(warp_size, block_rows / sampled_groups);
    const std::int64_t groups = (block_rows + stride - 1) / stride;
    with_block_size(size, [&](auto b) {
      launch_warps(sample_blocks<b>, groups, matrix, rows, stride,
                   on_device.data() + size - smallest_block_size);
    });
  }
  copy_now(samples.data(), on_device.data(), sizeof(samples));
  return samples;
}

}  // namespace

BlockSize block_size_option(const CsrView& matrix, RowListView rows, const Spec& options) {
  const BlockSize result =
      choose_block_size(matrix, options, [&] { return sample_block_sizes(matrix, rows); });
  if (!result.measured && has_split_blocks(rows, result.size)) {
    const std::string b = std::to_string(result.size);
    options.fail("the listed rows are not whole blocks of " + b + "; give the run --block " + b +
                 ", or use --schedule blocking");
  }
  return result;
}

}  // namespace rowhalo

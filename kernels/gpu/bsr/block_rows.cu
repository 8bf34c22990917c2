// SPDX-License-Identifier: BSD-3-Clause
//
// From CSR to sliced blocks (block_rows.hpp): the block size from samples, then the blocks. A
// thread walks the b rows of a block row: once to measure the slices, once more where they get
// sorted, once to fill them.
#include <algorithm>

#include "kernels/gpu/bsr/block_rows.hpp"
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/device/device_work.hpp"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/warp/block_merge.cuh"
#include "kernels/gpu/warp/holes.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

constexpr std::int64_t sorted_window = 1024;  // block rows: x stays local

constexpr std::int64_t sampled_groups = 2048;  // of 32 neighbours, spread over the block rows
constexpr unsigned most_blocks = 1024;         // of a block row: the rest is like what was seen

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
  for_each_item(rows.count, [=, found = found.data()] __device__(std::int64_t item) {
    const auto k = static_cast<LocalIndex>(item);
    if (rows[k] - rows[k - k % size] != k % size) *found = 1;
  });
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

/// The size by choose_block_size. Throws InputError also when the listed rows are not whole blocks
/// of the size that was told.
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

/// Refuses `blocks` blocks that need more bytes than CSR. Throws InputError.
void check_block_bytes(const Spec& options, const CsrView& matrix, RowListView rows, int size,
                       Offset blocks, Offset nonzeros) {
  const auto value_bytes = static_cast<Offset>(matrix_value_bytes(matrix.precision));
  const Offset index_bytes = sizeof(LocalIndex), offset_bytes = sizeof(Offset);
  const Offset own = blocks * (size * size * value_bytes + index_bytes);
  const Offset csr = nonzeros * (value_bytes + index_bytes) + rows.count * offset_bytes;
  if (own < csr || nonzeros == 0) return;
  const std::string b = std::to_string(size);
  options.fail("blocks of " + b + " x " + b + " with their padding would store " +
               std::to_string(own) + " bytes, CSR " + std::to_string(csr) +
               "; use sell or csr-vector, or say b=" + b);
}

/// Which block row stands where.
struct Places {
  LocalIndex count = 0, slice = 1;
  const LocalIndex* order = nullptr;

  __device__ std::int64_t block_row(std::int64_t p) const {
    return order != nullptr && p < count ? order[p] : p;
  }
};

Places places_of(const BlockRows& blocks) {
  return {blocks.count, blocks.slice, blocks.order.data()};
}

struct BlockTotals {
  unsigned long long blocks;
  unsigned spread;  ///< of the first columns of a slice, at most
};

/// One thread per block row, whole warps: a slice is one of them or all. sizes[s]: blocks of slice
/// s; bases[s]: its lowest column. `lengths` may be null.
template <int b>
__global__ void measure_block_slices(CsrView matrix, RowListView rows, Places places,
                                     Offset* lengths, unsigned long long* sizes, LocalIndex* bases,
                                     BlockTotals* totals) {
  const std::int64_t p = thread_index();
  if (p / warp_size * warp_size >= places.count) return;
  BlockMerge<b> merge(matrix, rows, places.block_row(p));
  unsigned length = 0, low = BlockMerge<b>::none, high = 0;
  for (unsigned column; (column = merge.lowest()) != BlockMerge<b>::none; ++length) {
    merge.take(column, [](int, int, Offset) {});
    low = min(low, column);
    high = max(high, column);
  }
  if (lengths != nullptr && p < places.count) lengths[p] = length;
  const unsigned longest = __reduce_max_sync(all_lanes, length);
  const unsigned blocks = __reduce_add_sync(all_lanes, length);
  low = __reduce_min_sync(all_lanes, low);
  high = __reduce_max_sync(all_lanes, high);
  if (threadIdx.x % warp_size != 0 || longest == 0) return;
  const std::int64_t slice = p / places.slice;
  atomicMax(sizes + slice, static_cast<unsigned long long>(longest) * places.slice);
  atomicMin(bases + slice, static_cast<LocalIndex>(low));
  atomicAdd(&totals->blocks, static_cast<unsigned long long>(blocks));
  atomicMax(&totals->spread, high - low);
}

/// One thread per block row; those that the last slice lacks are all holes. `bases` may be null:
/// then `columns` have 32 bits, else 16.
template <class Word, int b>
__global__ void fill_block_slices(CsrView matrix, RowListView rows, Places places,
                                  std::int64_t slices, int widest_chunk, const Offset* begins,
                                  const LocalIndex* bases, void* columns, Word* values) {
  const std::int64_t p = thread_index(), slice = p / places.slice;
  if (slice >= slices) return;
  const std::int64_t lane = p % places.slice, lanes = std::int64_t{places.slice} * b;
  const unsigned base = bases == nullptr ? 0 : static_cast<unsigned>(bases[slice]);
  BlockMerge<b> merge(matrix, rows, places.block_row(p));
  const Offset end = begins[slice + 1];
  for (Offset first = begins[slice]; first < end; first += places.slice) {
    const unsigned column = merge.lowest();
    const unsigned stored = column == BlockMerge<b>::none ? 0 : column - base;
    if (bases == nullptr) {
      static_cast<std::uint32_t*>(columns)[first + lane] = stored;
    } else {
      static_cast<std::uint16_t*>(columns)[first + lane] = static_cast<std::uint16_t>(stored);
    }
    merge.take(column, [&](int r, int c, Offset e) {
      const Chunk chunk = chunk_of(c, b, widest_chunk);
      Word* place = values + first * b * b + chunk.first * lanes + (lane * b + r) * chunk.width;
      place[c - chunk.first] =
          e < 0 ? hole_word<Word>() : word_of_entry(static_cast<const Word*>(matrix.values)[e]);
    });
  }
}

/// Sets begins and bases; `lengths` of the block rows may be empty.
BlockTotals measure(const CsrView& matrix, RowListView rows, const DeviceArray<Offset>& lengths,
                    BlockRows& result) {
  const std::int64_t slices = (std::int64_t{result.count} + result.slice - 1) / result.slice;
  result.bases = filled_array<LocalIndex>(slices, 0x7f);
  const auto sizes = filled_array<Offset>(slices + 1);
  const auto totals = filled_array<BlockTotals>(1);
  with_block_size(result.size, [&](auto size) {
    measure_block_slices<size>
        <<<blocks_for(result.count, bsr_threads), bsr_threads, conversion_ballast>>>(
            matrix, rows, places_of(result), lengths.data(),
            reinterpret_cast<unsigned long long*>(sizes.data()), result.bases.data(),
            totals.data());
  });
  ROWHALO_CUDA(cudaGetLastError());
  result.begins = prefix_sum(sizes);
  return totals.back();
}

/// Blocks with padding, less what the last slice lacks in block rows.
struct Slots {
  Offset stored = 0, of_block_rows = 0;
};
Slots slots_of(const BlockRows& blocks) {
  Offset last[2];  // where the last slice begins and ends
  copy_now(last, blocks.begins.data() + blocks.slices() - 1, sizeof(last));
  const Offset steps = (last[1] - last[0]) / blocks.slice;
  return {last[1], last[1] - steps * (blocks.slices() * blocks.slice - blocks.count)};
}

/// Fills columns and values of `blocks`, whose slices are measured.
void fill(const CsrView& matrix, RowListView rows, Offset slots, int widest_chunk,
          BlockRows& blocks) {
  const std::size_t value_bytes = matrix_value_bytes(matrix.precision);
  const std::size_t index_bytes =
      blocks.bases.size() > 0 ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
  blocks.values_count = slots * blocks.size * blocks.size;
  blocks.columns = DeviceMemory(slots * index_bytes);
  blocks.values = DeviceMemory(blocks.values_count * value_bytes);
  const std::int64_t threads = blocks.slices() * blocks.slice;
  with_word(value_bytes, [&]<class Word>(Word) {
    with_block_size(blocks.size, [&](auto size) {
      fill_block_slices<Word, size>
          <<<blocks_for(threads, bsr_threads), bsr_threads, conversion_ballast>>>(
              matrix, rows, places_of(blocks), blocks.slices(), widest_chunk, blocks.begins.data(),
              blocks.bases.data(), blocks.columns.data(),
              reinterpret_cast<Word*>(blocks.values.data()));
    });
  });
  ROWHALO_CUDA(cudaGetLastError());
  synchronize_device();
}

}  // namespace

BlockRows make_block_rows(const CsrView& matrix, RowListView rows, const SliceLayout& layout,
                          const Spec& options) {
  const BlockSize size = block_size_option(matrix, rows, options);
  constexpr double padding_worth_sorting = 1.03;
  BlockRows result;
  result.size = size.size;
  result.count = (rows.count + size.size - 1) / size.size;
  result.slice = layout.slice > 0 ? layout.slice : std::max(result.count, 1);
  if (rows.count == 0) {
    constexpr Offset no_slices[] = {0};
    result.begins = DeviceArray<Offset>(std::span<const Offset>(no_slices));
    return result;
  }
  const DeviceArray<Offset> lengths(layout.sort ? result.count : 0);
  BlockTotals totals = measure(matrix, rows, lengths, result);
  Slots slots = slots_of(result);
  const auto blocks = static_cast<double>(totals.blocks);
  if (layout.sort && static_cast<double>(slots.of_block_rows) > padding_worth_sorting * blocks) {
    result.order = falling_order(lengths, sorted_window);
    totals = measure(matrix, rows, {}, result);
    slots = slots_of(result);
  }
  const Offset nonzeros = listed_nonzeros_on_device(matrix, rows);
  const Offset area = Offset{result.size} * result.size;
  check_padding(options, {slots.of_block_rows * area, nonzeros, matrix},
                "blocks of " + std::to_string(size.size) + " x " + std::to_string(size.size),
                "use another b=, sell or csr-vector");
  if (size.measured)
    check_block_bytes(options, matrix, rows, size.size, slots.of_block_rows, nonzeros);
  if (!layout.columns16 || totals.spread > std::numeric_limits<std::uint16_t>::max()) {
    result.bases = {};
  }
  fill(matrix, rows, slots.stored, layout.widest_chunk, result);
  return result;
}

}  // namespace rowhalo

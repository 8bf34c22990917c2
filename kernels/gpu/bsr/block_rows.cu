// SPDX-License-Identifier: BSD-3-Clause
//
// From CSR to sliced blocks (block_rows.hpp). A thread walks the b rows of a block row: once to
// measure the slices, once more where they get sorted, once to fill them.
#include <algorithm>
#include <limits>
#include <string>

#include "kernels/gpu/bsr/block_rows.hpp"
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
                                     unsigned* lengths, unsigned long long* sizes,
                                     LocalIndex* bases, BlockTotals* totals) {
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

/// Windows ascend, lengths within them fall.
__global__ void write_block_row_keys(const unsigned* lengths, LocalIndex count, std::uint64_t* keys,
                                     LocalIndex* block_rows) {
  const std::int64_t p = thread_index();
  if (p >= count) return;
  keys[p] = static_cast<std::uint64_t>(p / sorted_window) << 32 | ~lengths[p];
  block_rows[p] = static_cast<LocalIndex>(p);
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
BlockTotals measure(const CsrView& matrix, RowListView rows, const DeviceArray<unsigned>& lengths,
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

/// Block rows by falling length within windows; equal lengths keep their order.
DeviceArray<LocalIndex> sorted_order(const DeviceArray<unsigned>& lengths) {
  const std::int64_t count = lengths.size();
  const DeviceArray<std::uint64_t> keys(count);
  const DeviceArray<LocalIndex> unsorted(count);
  launch_items(write_block_row_keys, count, lengths.data(), static_cast<LocalIndex>(count),
               keys.data(), unsorted.data());
  return std::move(sort_pairs(keys.data(), unsorted).values);
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
  blocks.columns = DeviceMemory(static_cast<std::size_t>(slots) * index_bytes);
  blocks.values = DeviceMemory(static_cast<std::size_t>(blocks.values_count) * value_bytes);
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

BlockRows make_block_rows(const CsrView& matrix, RowListView rows, BlockSize size,
                          const SliceLayout& layout, const Spec& options) {
  constexpr double padding_worth_sorting = 1.03;
  BlockRows result;
  result.size = size.size;
  result.count = (rows.count + size.size - 1) / size.size;
  result.slice = std::max(layout.slice, 1);
  if (rows.count == 0) {
    constexpr Offset no_slices[] = {0};
    result.begins = DeviceArray<Offset>(std::span<const Offset>(no_slices));
    return result;
  }
  const DeviceArray<unsigned> lengths(layout.sort ? result.count : 0);
  BlockTotals totals = measure(matrix, rows, lengths, result);
  Slots slots = slots_of(result);
  const auto blocks = static_cast<double>(totals.blocks);
  if (layout.sort && static_cast<double>(slots.of_block_rows) > padding_worth_sorting * blocks) {
    result.order = sorted_order(lengths);
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

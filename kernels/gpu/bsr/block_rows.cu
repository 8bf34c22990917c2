// SPDX-License-Identifier: BSD-3-Clause
//
// From CSR to sliced blocks (block_rows.hpp): the block size from samples, then the blocks. A
// thread walks the b rows of a block row: once to measure the slices, once more where they get
// sorted, once to write the columns of the blocks. Values then follow the columns, a thread per
// row.
#include <algorithm>

#include "kernels/gpu/bsr/block_rows.hpp"
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/conversion/row_tiles.cuh"
#include "kernels/gpu/conversion/row_walks.cuh"
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

/// The first columns of blocks, as they are stored.
struct StoredColumns {
  const LocalIndex* bases;  ///< null: columns have 32 bits, else 16
  void* columns;

  __device__ unsigned base(std::int64_t slice) const {
    return bases == nullptr ? 0 : static_cast<unsigned>(bases[slice]);
  }
  __device__ void put(Offset place, unsigned stored) const {
    if (bases == nullptr) {
      static_cast<std::uint32_t*>(columns)[place] = stored;
    } else {
      static_cast<std::uint16_t*>(columns)[place] = static_cast<std::uint16_t>(stored);
    }
  }
  __device__ unsigned at(Offset place) const {
    return bases == nullptr ? cached(static_cast<const std::uint32_t*>(columns) + place)
                            : cached(static_cast<const std::uint16_t*>(columns) + place);
  }
};

/// One thread per block row, of whole slices.
template <int b>
__global__ void fill_block_columns(CsrView matrix, RowListView rows, Places places,
                                   std::int64_t slices, const Offset* begins,
                                   StoredColumns columns) {
  const std::int64_t p = thread_index(), slice = p / places.slice;
  if (slice >= slices) return;
  const unsigned base = columns.base(slice);
  BlockMerge<b> merge(matrix, rows, places.block_row(p));
  const Offset end = begins[slice + 1];
  for (Offset first = begins[slice]; first < end; first += places.slice) {
    const unsigned column = merge.lowest();
    columns.put(first + p % places.slice, column == BlockMerge<b>::none ? 0 : column - base);
    merge.take(column, [](int, int, Offset) {});
  }
}

/// One thread per row of whole slices; places that no entry has are holes, as are all of a row that
/// the last slice lacks. A row's next entry lies in its next block, or that has none of the row.
/// `full`: each has b of every row, so that columns tell nothing.
template <class Word, int b>
__global__ void copy_block_values(CsrView matrix, RowListView rows, Places places,
                                  std::int64_t slices, int widest_chunk, bool full,
                                  const Offset* begins, StoredColumns columns, Word* values) {
  constexpr int depth = 8, steps_of_tile = depth / b;
  const std::int64_t thread = thread_index(), p = thread / b, slice = p / places.slice;
  const bool is_row = slice < slices;
  const std::int64_t lanes = std::int64_t{places.slice} * b, lane = thread - slice * lanes;
  const unsigned base = is_row ? columns.base(slice) : 0;
  const RowEntries row =
      is_row ? entries_of(matrix, rows, places.block_row(p) * b + lane % b) : RowEntries{0, 0, 0};
  Offset first = is_row ? begins[slice] : 0, next = row.begin;
  const Offset end = is_row ? begins[slice + 1] : 0;
  const auto own_steps = static_cast<unsigned>((end - first) / places.slice);
  const unsigned steps = __reduce_max_sync(all_lanes, own_steps);
  RowTile<LocalIndex, depth> indices;
  RowTile<Word, depth, 1> words;
  for (unsigned of_tile = 0; of_tile < steps; of_tile += steps_of_tile) {
    if (!full) indices.load(matrix.indices, next, row.end);
    words.load(static_cast<const Word*>(matrix.values), next, row.end);
    int taken = 0;
    for (unsigned step = of_tile; step < min(of_tile + steps_of_tile, own_steps); ++step) {
      const unsigned column = full ? 0 : base + columns.at(first + lane / b);
#pragma unroll
      for (int c = 0; c < b; ++c) {
        const Chunk chunk = chunk_of(c, b, widest_chunk);
        Word word = hole_word<Word>();
        if (taken < depth && next + taken < row.end &&
            (full || static_cast<unsigned>(indices[taken]) - column == static_cast<unsigned>(c))) {
          word = word_of_entry(words[taken++]);
        }
        values[first * b * b + chunk.first * lanes + lane * chunk.width + c - chunk.first] = word;
      }
      first += places.slice;
    }
    next += taken;
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

StoredColumns columns_of(const BlockRows& blocks) {
  return {blocks.bases.data(), blocks.columns.data()};
}

/// Fills columns and values of `blocks`, whose slices are measured.
void fill(const CsrView& matrix, RowListView rows, Offset slots, BlockRows& blocks) {
  const std::size_t value_bytes = matrix_value_bytes(matrix.precision);
  const std::size_t index_bytes =
      blocks.bases.size() > 0 ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
  blocks.values_count = slots * blocks.size * blocks.size;
  blocks.columns = DeviceMemory(slots * index_bytes);
  blocks.values = DeviceMemory(blocks.values_count * value_bytes);
  with_block_size(blocks.size, [&](auto size) {
    launch_items(walking_in({}), fill_block_columns<size>, blocks.slices() * blocks.slice, matrix,
                 rows, places_of(blocks), blocks.slices(), blocks.begins.data(),
                 columns_of(blocks));
  });
  fill_block_values(matrix, rows, blocks, {});
  synchronize_device();
}

}  // namespace

BlockRows make_block_rows(const CsrView& matrix, RowListView rows, const SliceLayout& layout,
                          const Spec& options) {
  const BlockSize size = block_size_option(matrix, rows, options);
  constexpr double padding_worth_sorting = 1.03;
  BlockRows result;
  result.size = size.size;
  result.widest_chunk = layout.widest_chunk;
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
  result.full = static_cast<Offset>(totals.blocks) * area == nonzeros;
  fill(matrix, rows, slots.stored, result);
  return result;
}

void fill_block_values(const CsrView& matrix, RowListView rows, const BlockRows& blocks,
                       Stream stream) {
  with_word(matrix_value_bytes(matrix.precision), [&]<class Word>(Word) {
    with_block_size(blocks.size, [&](auto size) {
      launch_items({native(stream)}, copy_block_values<Word, size>,
                   whole_warps(blocks.slices() * blocks.slice * size), matrix, rows,
                   places_of(blocks), blocks.slices(), blocks.widest_chunk, blocks.full,
                   blocks.begins.data(), columns_of(blocks),
                   reinterpret_cast<Word*>(blocks.values.data()));
    });
  });
}

}  // namespace rowhalo

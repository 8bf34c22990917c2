// SPDX-License-Identifier: BSD-3-Clause
//
// What each slice of asell (asell.hpp: SELL-32-sigma with codes for columns) needs, and its place.
// Ten nonzeros, four of a slice's 32 rows drawn, values of 8 bytes:
//
//   rows of the slice   merged: a step is one offset, for the rows that have it next
//   a00 a01             step 0   offset -1   rows 1, 2, 3     bits 1110
//   a10 a11 a12         step 1   offset  0   rows 0, 1, 2, 3  bits 1111
//       a21 a22 a23     step 2   offset +1   rows 0, 1, 2     bits 0111
//           a32 a33             offset: column - anchor    bit l: row l, row 0 rightmost
//   The anchor is the row itself; in a matrix of b x b blocks, the first row of the row's block.
//
//   code      slots per row         bytes of the slice of 32 rows
//   offsets   3 steps               3 * (8 + 32 * 8)                  =  792   the fewest
//   8-bit     3, in 1 word of 4     32 * (3 * 8 + 1 * 4)              =  896
//   16-bit    3, in 2 words of 2    32 * (3 * 8 + 2 * 4)              = 1024
//   32-bit    3, in 3 words         32 * (3 * 8 + 3 * 4)              = 1152
//
// 1. A warp per slice, a lane per row (measure_asell_slices): each lane walks its row once and
//    counts the slots that codes of 8 and 16 bits take, where a wide gap takes several. If any row
//    has an entry, the lanes then merge their rows (asell_rows.cuh), which gives the steps of the
//    code `offsets`. They stop when these cost as much as the best other code, or more.
//    For values by_step only `offsets` will do: the lanes merge their rows at once
//    (measure_slices_by_step).
// 2. Slices with the same steps, such as all but the ends of this band, share one pattern. Patterns
//    are compared by a hash of their steps (by_step: and values). Slices are sorted by it. The
//    first slice of each hash owns the pattern, and a prefix sum over the owners' steps places it.
//    asell_fill.cu then compares the steps themselves. If two patterns have the same hash,
//    asell.cpp measures again with another seed.
// 3. Prefix sums over what slices take of values and of words give each its place.
#include <algorithm>
#include <iterator>

#include "kernels/gpu/asell/asell_rows.cuh"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

using Hash = std::uint64_t;

/// What a slice needs with the code that was chosen for it.
struct Measure {
  std::uint32_t steps;
  std::uint32_t words;  ///< of codes per lane; none for offsets
  LocalIndex base;      ///< as in AsellSlice; values by_step: 1 where each row has each step, or 0
  IndexCode code;
};

/// Slots that a distance takes.
template <class Distance>
__device__ std::int64_t slots_of_gap(std::int64_t gap) {
  return 1 + gap / escape<Distance>;
}

__device__ Hash mixed(Hash hash, LocalIndex offset, unsigned mask) {
  hash ^= static_cast<Hash>(static_cast<unsigned>(offset)) << 32 | mask;
  hash *= Hash{0x9e3779b97f4a7c15};
  return hash ^ (hash >> 29);
}

__device__ std::int64_t words_for(std::int64_t steps, int per_word) {
  return (steps + per_word - 1) / per_word;
}

/// Bytes of a slice with values of `value_bytes` (0: constant, 1: dictionary, 2: fixed or 16-bit
/// types) and `words` of codes per lane. An estimate with a dictionary, which is stored in words.
__device__ std::int64_t bytes_of(std::int64_t steps, std::int64_t words, int value_bytes) {
  return warp_size * (steps * value_bytes + 4 * words);
}

__global__ void measure_asell_slices(CsrView matrix, RowListView rows, std::int64_t slices,
                                     int value_bytes, Hash seed, Measure* measures, Hash* hashes) {
  const std::int64_t slice = slice_number();
  if (slice >= slices) return;
  const Lane lane = lane_of(matrix, rows, slice);
  const LocalIndex first_gap =
      lane.begin < lane.end ? matrix.indices[lane.begin] - lane.row : INT_MAX;
  const LocalIndex smallest = smallest_of_warp(first_gap);
  const LocalIndex base = smallest == INT_MAX ? 0 : smallest;

  bool ascends = true;
  std::int64_t byte_slots = 0, word_slots = 0;
  LocalIndex before = lane.row + base;
  for (Offset e = lane.begin; e < lane.end; ++e) {
    const LocalIndex column = matrix.indices[e];
    const std::int64_t gap = std::int64_t{column} - before;
    ascends = ascends && (e == lane.begin || gap > 0);
    byte_slots += slots_of_gap<std::uint8_t>(gap);
    word_slots += slots_of_gap<std::uint16_t>(gap);
    before = column;
  }
  const auto steps = static_cast<std::int64_t>(largest_of_warp(lane.end - lane.begin));
  byte_slots = largest_of_warp(byte_slots);
  word_slots = largest_of_warp(word_slots);

  std::int64_t best = bytes_of(steps, steps, value_bytes);
  Measure result{static_cast<std::uint32_t>(steps), static_cast<std::uint32_t>(steps), base,
                 IndexCode::columns};
  Hash hash = ~Hash{0};  // no pattern: share_patterns() gives such slices no place
  const bool all_ascend = __all_sync(all_lanes, ascends);
  if (steps > 0) {
    const auto try_code = [&](IndexCode code, std::int64_t slots) {
      const std::int64_t words = words_for(slots, codes_per_word(code));
      const std::int64_t bytes = bytes_of(slots, words, value_bytes);
      if (bytes >= best) return;
      best = bytes;
      result.steps = static_cast<std::uint32_t>(slots);
      result.words = static_cast<std::uint32_t>(words);
      result.code = code;
    };
    if (all_ascend) {
      try_code(IndexCode::distances16, word_slots);
      try_code(IndexCode::distances8, byte_slots);
    }
    const std::int64_t bytes_per_step =
        warp_size * value_bytes + static_cast<std::int64_t>(sizeof(OffsetStep));
    std::int64_t offset_steps = 0;
    Hash offsets_hash = seed;
    merge_rows(matrix, lane, [&](LocalIndex offset, unsigned mask, bool, Offset) {
      ++offset_steps;
      offsets_hash = mixed(offsets_hash, offset, mask);
      return offset_steps * bytes_per_step < best;
    });
    if (offset_steps * bytes_per_step < best) {
      hash = mixed(offsets_hash, static_cast<LocalIndex>(offset_steps), 0) >> 1;  // not ~0
      result = {static_cast<std::uint32_t>(offset_steps), 0, base, IndexCode::offsets};
    }
  }
  if (lane_number() != 0) return;
  measures[slice] = result;
  hashes[slice] = hash;
}

/// The bits of the value of entry `e`, of `value_bytes`.
__device__ std::uint64_t value_bits(const CsrView& matrix, int value_bytes, Offset e) {
  if (value_bytes == 8) return static_cast<const std::uint64_t*>(matrix.values)[e];
  if (value_bytes == 4) return static_cast<const std::uint32_t*>(matrix.values)[e];
  return static_cast<const std::uint16_t*>(matrix.values)[e];
}

/// The value of the first row of a step, and whether all its rows have the same.
struct StepValue {
  std::uint64_t bits;
  bool shared;
};
__device__ StepValue value_of_step(const CsrView& matrix, int value_bytes, unsigned mask, bool here,
                                   Offset e) {
  const std::uint64_t own = here ? value_bits(matrix, value_bytes, e) : 0;
  const std::uint64_t first = __shfl_sync(all_lanes, own, __ffs(static_cast<int>(mask)) - 1);
  return {first, __all_sync(all_lanes, !here || own == first) != 0};
}

/// As measure_asell_slices, for values by_step. Raises `unfit`, and what was measured is worth
/// nothing, where rows differ in the value of a step, or where a slice needs more than 1.5 times as
/// many steps as its longest row has entries.
__global__ void measure_slices_by_step(CsrView matrix, RowListView rows, std::int64_t slices,
                                       int value_bytes, Hash seed, Measure* measures, Hash* hashes,
                                       int* unfit) {
  const std::int64_t slice = slice_number();
  if (slice >= slices || __any_sync(all_lanes, *static_cast<volatile int*>(unfit))) return;
  const Lane lane = lane_of(matrix, rows, slice);
  const auto longest = static_cast<std::int64_t>(largest_of_warp(lane.end - lane.begin));
  std::int64_t steps = 0;
  Hash hash = seed;
  unsigned in_each = all_lanes;
  bool fits = true;
  merge_rows(matrix, lane, [&](LocalIndex offset, unsigned mask, bool here, Offset e) {
    const StepValue value = value_of_step(matrix, value_bytes, mask, here, e);
    hash = mixed(hash, offset, mask);
    hash =
        mixed(hash, static_cast<LocalIndex>(value.bits >> 32), static_cast<unsigned>(value.bits));
    ++steps;
    in_each &= mask;
    fits = value.shared && 2 * steps <= 3 * longest;
    return fits;
  });
  if (lane_number() != 0) return;
  if (!fits) *unfit = 1;
  measures[slice] = {static_cast<std::uint32_t>(steps), 0, in_each == all_lanes ? 1 : 0,
                     steps > 0 ? IndexCode::offsets : IndexCode::columns};
  hashes[slice] = steps > 0 ? mixed(hash, static_cast<LocalIndex>(steps), 0) >> 1 : ~Hash{0};
}

__global__ void write_patterns(CsrView matrix, RowListView rows, std::int64_t slices,
                               const AsellSlice* described, const unsigned char* owns,
                               OffsetStep* patterns, int value_bytes, ValuedStep* valued) {
  const std::int64_t slice = slice_number();
  if (slice >= slices || owns[slice] == 0) return;
  std::int64_t next = described[slice].codes;
  merge_rows(matrix, lane_of(matrix, rows, slice),
             [&](LocalIndex offset, unsigned mask, bool here, Offset e) {
               if (lane_number() == 0) patterns[next] = {offset, mask};
               if (valued != nullptr) {
                 const auto bits = value_of_step(matrix, value_bytes, mask, here, e).bits;
                 if (lane_number() == 0) valued[next] = {{offset, mask}, bits};
               }
               ++next;
               return true;
             });
}

/// For each slice, the place of its pattern, and whether it writes it for all that share it.
struct Patterns {
  DeviceArray<std::uint32_t> places;
  DeviceArray<unsigned char> owns;
  std::uint64_t steps = 0;
};

Patterns share_patterns(const DeviceArray<Measure>& measures, const DeviceArray<Hash>& hashes) {
  const std::int64_t count = measures.size();
  const auto sorted = sorted_order<LocalIndex>(hashes.data(), count);
  const DeviceArray<std::uint64_t> sizes(count + 1);
  // In the order of hashes: the steps of the pattern at the first slice of each hash, 0 at the
  // others, at slices without offsets and at the end.
  for_each_item(count + 1,
                [=, hashes = sorted.keys.data(), order = sorted.order.data(),
                 measures = measures.data(), sizes = sizes.data()] __device__(std::int64_t k) {
                  const bool has_offsets = k < count && hashes[k] != ~Hash{0};
                  const bool first = k == 0 || (k < count && hashes[k] != hashes[k - 1]);
                  sizes[k] = has_offsets && first ? measures[order[k]].steps : 0;
                });
  const DeviceArray<std::uint64_t> begins = prefix_sum(sizes);
  Patterns patterns{DeviceArray<std::uint32_t>(count), filled_array<unsigned char>(count),
                    begins.back()};
  // The pattern of a slice ends where that of the first with its hash does: where the next pattern
  // begins. The first owns it.
  for_each_item(
      count, [hashes = sorted.keys.data(), order = sorted.order.data(), measures = measures.data(),
              sizes = sizes.data(), begins = begins.data(), places = patterns.places.data(),
              owns = patterns.owns.data()] __device__(std::int64_t k) {
        if (hashes[k] == ~Hash{0}) return;
        const LocalIndex slice = order[k];
        places[slice] = static_cast<std::uint32_t>(begins[k + 1] - measures[slice].steps);
        owns[slice] = sizes[k] != 0;
      });
  return patterns;
}

int bytes_of_value(ValueCode code, Precision precision) {
  if (code == ValueCode::plain) return static_cast<int>(matrix_value_bytes(precision));
  if (code == ValueCode::fixed) return sizeof(std::uint16_t);
  return code == ValueCode::dictionary ? 1 : 0;
}

/// The measure of each slice, and the hash of its steps.
struct MeasuredSlices {
  explicit MeasuredSlices(std::int64_t slices) : measures(slices), hashes(slices) {}
  DeviceArray<Measure> measures;
  DeviceArray<Hash> hashes;
};

/// With values by_step where `code` asks for that and the rows allow it; else `code` becomes
/// dictionary.
MeasuredSlices measured(const CsrView& matrix, RowListView rows, std::int64_t slices,
                        ValueCode& code, Hash seed) {
  MeasuredSlices result(slices);
  const unsigned warps = blocks_for(slices * warp_size, conversion_threads);
  if (code == ValueCode::by_step) {
    const auto unfit = filled_array<int>(1);
    measure_slices_by_step<<<warps, conversion_threads, conversion_ballast>>>(
        matrix, rows, slices, static_cast<int>(matrix_value_bytes(matrix.precision)), seed,
        result.measures.data(), result.hashes.data(), unfit.data());
    ROWHALO_CUDA(cudaGetLastError());
    if (unfit.back() == 0) return result;
    code = ValueCode::dictionary;
  }
  measure_asell_slices<<<warps, conversion_threads, conversion_ballast>>>(
      matrix, rows, slices, bytes_of_value(code, matrix.precision), seed, result.measures.data(),
      result.hashes.data());
  ROWHALO_CUDA(cudaGetLastError());
  return result;
}

/// Where each slice begins in the arrays of values and of words: exclusive prefix sums over the
/// slices, in rows of 32 elements, one per lane. The last sum is the total.
struct SliceBegins {
  DeviceArray<std::uint64_t> values, words;
};

SliceBegins slice_begins(const DeviceArray<Measure>& measures, ValueCode code) {
  const std::int64_t count = measures.size();
  const DeviceArray<std::uint64_t> value_rows(count + 1), word_rows(count + 1);
  const int values_in_row = code == ValueCode::plain || code == ValueCode::fixed ? 1
                            : code == ValueCode::dictionary                      ? values_per_word
                                                                                 : 0;
  for_each_item(count + 1, [=, measures = measures.data(), value_rows = value_rows.data(),
                            word_rows = word_rows.data()] __device__(std::int64_t k) {
    const Measure m = k < count ? measures[k] : Measure{};
    value_rows[k] = values_in_row == 0 ? 0 : words_for(m.steps, values_in_row);
    word_rows[k] = m.words;
  });
  return {prefix_sum(value_rows), prefix_sum(word_rows)};
}

struct LayoutTotals {
  unsigned long long by_code[index_codes];
  unsigned long long steps;
};

/// The slices of a layout, and what they have together.
LayoutTotals describe_slices(const DeviceArray<Measure>& measures, const SliceBegins& begins,
                             const Patterns& patterns, AsellLayout& layout) {
  const auto on_device = filled_array<LayoutTotals>(1);
  layout.slices = DeviceArray<AsellSlice>(measures.size());
  for_each_item(measures.size(), [measures = measures.data(), value_begins = begins.values.data(),
                                  word_begins = begins.words.data(),
                                  places = patterns.places.data(), slices = layout.slices.data(),
                                  totals = on_device.data()] __device__(std::int64_t k) {
    const Measure m = measures[k];
    const bool has_offsets = m.code == IndexCode::offsets;
    slices[k] = {static_cast<std::uint32_t>(value_begins[k]),
                 has_offsets ? places[k] : static_cast<std::uint32_t>(word_begins[k]), m.base,
                 m.steps * index_codes + static_cast<std::uint32_t>(m.code)};
    atomicAdd(&totals->by_code[static_cast<int>(m.code)], 1ull);
    atomicAdd(&totals->steps, static_cast<unsigned long long>(m.steps));
  });
  return on_device.back();
}

}  // namespace

AsellLayout measure_asell(const CsrView& matrix, RowListView rows, ValueCode value_code,
                          std::uint64_t seed) {
  AsellLayout layout;
  layout.value_code = value_code;
  const std::int64_t count = (std::int64_t{rows.count} + warp_size - 1) / warp_size;
  if (count == 0) return layout;
  const MeasuredSlices slices = measured(matrix, rows, count, layout.value_code, seed);
  const Patterns patterns = share_patterns(slices.measures, slices.hashes);

  const SliceBegins begins = slice_begins(slices.measures, layout.value_code);
  const LayoutTotals total = describe_slices(slices.measures, begins, patterns, layout);
  layout.patterns = DeviceArray<OffsetStep>(static_cast<std::int64_t>(patterns.steps));
  if (layout.value_code == ValueCode::by_step) {
    layout.values = DeviceMemory(patterns.steps * sizeof(ValuedStep));
  }
  launch_warps(write_patterns, count, matrix, rows, count, layout.slices.data(),
               patterns.owns.data(), layout.patterns.data(),
               static_cast<int>(matrix_value_bytes(matrix.precision)),
               reinterpret_cast<ValuedStep*>(layout.values.data()));
  layout.steps = static_cast<std::int64_t>(total.steps);
  std::copy(std::begin(total.by_code), std::end(total.by_code), layout.slices_by_code.begin());
  layout.value_rows = static_cast<std::int64_t>(begins.values.back());
  layout.code_rows = static_cast<std::int64_t>(begins.words.back());
  return layout;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Codes of columns and values (chunk_codes.hpp), each in one pass: one warp per chunk.
#include "kernels/gpu/csr_balanced/chunk_codes.hpp"

#include "kernels/gpu/csr_balanced/balanced_plan.hpp"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/values/positions.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

__global__ void encode_chunks(const LocalIndex* indices, Offset entries, LocalIndex* bases,
                              uint4* offsets, unsigned long long* chunks32) {
  const std::int64_t item = thread_index();
  const Offset begin = item / warp_size * chunk_entries;
  if (begin >= entries) return;
  const int lane = threadIdx.x % warp_size;
  LocalIndex column[lane_entries];
#pragma unroll
  for (int u = 0; u < lane_entries; ++u) {
    column[u] = indices[min(begin + u * warp_size + lane, entries - 1)];
  }
  LocalIndex lowest = column[0], highest = column[0];
#pragma unroll
  for (int u = 1; u < lane_entries; ++u) {
    lowest = min(lowest, column[u]);
    highest = max(highest, column[u]);
  }
  lowest = __reduce_min_sync(all_lanes, lowest);
  highest = __reduce_max_sync(all_lanes, highest);
  const bool fits = highest - lowest < 1 << 16;
  if (lane == 0) {
    bases[item / warp_size] = fits ? lowest : -1;
    if (!fits) atomicAdd(chunks32, 1ull);
  }
  if (!fits) return;
  const auto pair = [&](int u) {
    return static_cast<unsigned>(column[u] - lowest) | static_cast<unsigned>(column[u + 1] - lowest)
                                                           << 16;
  };
  offsets[item] = make_uint4(pair(0), pair(2), pair(4), pair(6));
}

/// One thread per lane of a chunk. Entries beyond the end have position 0.
template <class Word>
__global__ void write_value_positions(const Word* values, Offset entries, const Word* table,
                                      int table_size, ValuePositions* positions,
                                      std::int64_t lanes) {
  const std::int64_t item = thread_index();
  if (item >= lanes) return;
  const Offset first = item / warp_size * chunk_entries + item % warp_size;
  ValuePositions word = 0;
  for (int u = 0; u < lane_entries; ++u) {
    const Offset e = first + u * warp_size;
    if (e >= entries) break;
    word |= ValuePositions{position_of(values[e], table, table_size)} << (8 * u);
  }
  positions[item] = word;
}

/// The same for numbers of 16 bits; those beyond the end have code 0.
template <class T>
__global__ void write_codes(const T* values, Offset entries, FixedPointCode<T> fixed, uint4* codes,
                            std::int64_t lanes) {
  const std::int64_t item = thread_index();
  if (item >= lanes) return;
  const Offset first = item / warp_size * chunk_entries + item % warp_size;
  unsigned word[lane_entries / 2] = {};
  for (int u = 0; u < lane_entries; ++u) {
    const Offset e = first + u * warp_size;
    if (e < entries) word[u / 2] |= unsigned{fixed.code(values[e])} << (16 * (u % 2));
  }
  codes[item] = make_uint4(word[0], word[1], word[2], word[3]);
}

std::int64_t lanes_of(Offset entries) {
  return (entries + chunk_entries - 1) / chunk_entries * warp_size;
}

}  // namespace

Columns16 encode_columns16(const LocalIndex* indices, Offset entries) {
  Columns16 result;
  if (entries == 0) return result;
  const std::int64_t chunks = (entries + chunk_entries - 1) / chunk_entries;
  result.bases = DeviceArray<LocalIndex>(chunks);
  result.offsets = DeviceArray<uint4>(chunks * warp_size);
  const auto wide = filled_array<unsigned long long>(1);
  launch_warps(encode_chunks, chunks, indices, entries, result.bases.data(), result.offsets.data(),
               wide.data());
  result.chunks32 = static_cast<std::int64_t>(wide.back());
  return result;
}

template <class T>
DeviceArray<uint4> encode_fixed(const T* values, Offset entries, const FixedPoint& fixed) {
  DeviceArray<uint4> codes(lanes_of(entries));
  launch_items(write_codes<T>, codes.size(), values, entries, FixedPointCode<T>(fixed),
               codes.data(), codes.size());
  return codes;
}

template DeviceArray<uint4> encode_fixed(const double*, Offset, const FixedPoint&);
template DeviceArray<uint4> encode_fixed(const float*, Offset, const FixedPoint&);

DeviceArray<ValuePositions> encode_values(const void* values, std::size_t value_bytes,
                                          Offset entries,
                                          const std::vector<std::uint64_t>& distinct) {
  DeviceArray<ValuePositions> positions(lanes_of(entries));
  with_word(value_bytes, [&]<class Word>(Word) {
    const std::vector<Word> words(distinct.begin(), distinct.end());
    const DeviceArray<Word> table = device_array(words);
    launch_items(write_value_positions<Word>, positions.size(), static_cast<const Word*>(values),
                 entries, table.data(), static_cast<int>(words.size()), positions.data(),
                 positions.size());
    synchronize_device();  // before the table goes
  });
  return positions;
}

}  // namespace rowhalo

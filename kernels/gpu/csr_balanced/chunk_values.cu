// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gpu/csr_balanced/chunk_values.hpp"

#include "kernels/gpu/csr_balanced/balanced_plan.hpp"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/values/positions.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

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

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
__global__ void encode(const Word* values, Offset entries, const Word* table, int table_size,
                       ValuePositions* positions, std::int64_t lanes) {
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

}  // namespace

DeviceArray<ValuePositions> encode_values(const void* values, std::size_t value_bytes,
                                          Offset entries,
                                          const std::vector<std::uint64_t>& distinct) {
  const std::int64_t lanes = (entries + chunk_entries - 1) / chunk_entries * warp_size;
  DeviceArray<ValuePositions> positions(lanes);
  if (lanes == 0) return positions;
  with_word(value_bytes, [&]<class Word>(Word) {
    const std::vector<Word> words(distinct.begin(), distinct.end());
    const DeviceArray<Word> table{std::span<const Word>(words)};
    encode<<<blocks_for(lanes, conversion_threads), conversion_threads>>>(
        static_cast<const Word*>(values), entries, table.data(), static_cast<int>(words.size()),
        positions.data(), lanes);
    ROWHALO_CUDA(cudaGetLastError());
    synchronize_device();  // before the table goes
  });
  return positions;
}

}  // namespace rowhalo

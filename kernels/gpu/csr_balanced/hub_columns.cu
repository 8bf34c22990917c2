// SPDX-License-Identifier: BSD-3-Clause
//
// Finding hubs (hub_columns.hpp): a histogram of the columns, sorted; then one pass over the
// entries that gives them their new numbers and counts the sectors of x that warps load, with and
// without hubs.
#include <algorithm>
#include <numeric>

#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/csr_balanced/balanced_tuning.hpp"
#include "kernels/gpu/csr_balanced/hub_columns.hpp"
#include "kernels/gpu/device/check.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

__global__ void count_columns(const LocalIndex* indices, Offset entries, unsigned* counts) {
  const std::int64_t e = thread_index();
  if (e < entries) atomicAdd(counts + indices[e], 1u);
}

/// Keys that rise as counts fall, with the numbers of the columns.
__global__ void write_sort_keys(const unsigned* counts, LocalIndex columns, unsigned* keys,
                                unsigned* numbers) {
  const std::int64_t c = thread_index();
  if (c >= columns) return;
  keys[c] = ~counts[c];
  numbers[c] = static_cast<unsigned>(c);
}

__global__ void note_hubs(const LocalIndex* hubs, std::int32_t count, LocalIndex* hub_of) {
  const std::int64_t h = thread_index();
  if (h < count) hub_of[hubs[h]] = static_cast<LocalIndex>(h);
}

struct Sectors {
  unsigned long long all, without_hubs;
};

__global__ void code_entries(const LocalIndex* indices, Offset entries, const LocalIndex* hub_of,
                             int sector_values, LocalIndex* coded, Sectors* sectors) {
  const std::int64_t e = thread_index();
  const bool is_entry = e < entries;
  const int lane = threadIdx.x % warp_size;
  const LocalIndex column = is_entry ? indices[e] : 0, hub = is_entry ? hub_of[column] : 0;
  if (is_entry) coded[e] = hub >= 0 ? ~hub : column;
  const auto leads = [&](bool loads) {
    const int sector = loads ? column / sector_values : ~lane;
    return loads && __ffs(static_cast<int>(__match_any_sync(all_lanes, sector))) - 1 == lane;
  };
  const unsigned all = __popc(__ballot_sync(all_lanes, leads(is_entry)));
  const unsigned without_hubs = __popc(__ballot_sync(all_lanes, leads(is_entry && hub < 0)));
  if (lane != 0) return;
  atomicAdd(&sectors->all, all);
  atomicAdd(&sectors->without_hubs, without_hubs);
}

/// The most used columns, ascending, and how many entries they have together.
struct MostUsed {
  std::vector<LocalIndex> columns;
  Offset entries = 0;
};

/// Columns with more than `fewest` entries.
MostUsed most_used(const LocalIndex* indices, Offset entries, LocalIndex columns, std::int32_t most,
                   unsigned fewest) {
  const DeviceArray<unsigned> counts(columns), keys(columns), numbers(columns);
  set_bytes_async(counts.data(), 0, static_cast<std::size_t>(counts.bytes()), Stream{});
  count_columns<<<blocks_for(entries, conversion_threads), conversion_threads>>>(indices, entries,
                                                                                 counts.data());
  write_sort_keys<<<blocks_for(columns, conversion_threads), conversion_threads>>>(
      counts.data(), columns, keys.data(), numbers.data());
  ROWHALO_CUDA(cudaGetLastError());
  const auto sorted = sort_pairs(keys.data(), numbers);
  const auto size = static_cast<std::size_t>(std::min(most, columns));
  std::vector<unsigned> keys_of_hubs(size);
  MostUsed result;
  result.columns.resize(size);
  copy_now(keys_of_hubs.data(), sorted.keys.data(), size * sizeof(unsigned));
  copy_now(result.columns.data(), sorted.values.data(), size * sizeof(LocalIndex));
  const auto end = std::partition_point(keys_of_hubs.begin(), keys_of_hubs.end(),
                                        [&](unsigned key) { return ~key > fewest; });
  result.entries = std::accumulate(keys_of_hubs.begin(), end, Offset{0},
                                   [](Offset sum, unsigned key) { return sum + ~key; });
  result.columns.resize(static_cast<std::size_t>(end - keys_of_hubs.begin()));
  std::sort(result.columns.begin(), result.columns.end());
  return result;
}

}  // namespace

HubColumns find_hubs(const LocalIndex* indices, Offset entries, LocalIndex columns,
                     std::size_t vector_value_bytes, std::int32_t most, HubChoice choice) {
  const bool always = choice == HubChoice::always;
  if (entries == 0 || most == 0 || (!always && columns <= most)) return {};
  const int multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  const MostUsed hubs = most_used(indices, entries, columns, most,
                                  always ? 0 : static_cast<unsigned>(multiprocessors));
  const double needed = always ? 0 : smallest_hub_share * static_cast<double>(entries);
  if (hubs.columns.empty() || static_cast<double>(hubs.entries) < needed) return {};

  HubColumns result;
  result.columns = DeviceArray<LocalIndex>(std::span<const LocalIndex>(hubs.columns));
  result.indices = DeviceArray<LocalIndex>(entries);
  const DeviceArray<LocalIndex> hub_of(columns);
  set_bytes_async(hub_of.data(), 0xff, static_cast<std::size_t>(hub_of.bytes()), Stream{});  // -1
  note_hubs<<<blocks_for(result.count(), conversion_threads), conversion_threads>>>(
      result.columns.data(), result.count(), hub_of.data());
  const DeviceArray<Sectors> sectors(1);
  set_bytes_async(sectors.data(), 0, sizeof(Sectors), Stream{});
  code_entries<<<blocks_for(entries, conversion_threads), conversion_threads>>>(
      indices, entries, hub_of.data(), sector_bytes / static_cast<int>(vector_value_bytes),
      result.indices.data(), sectors.data());
  ROWHALO_CUDA(cudaGetLastError());
  const Sectors count = sectors.to_host()[0];
  if (static_cast<double>(count.all - count.without_hubs) < needed) return {};
  return result;
}

}  // namespace rowhalo

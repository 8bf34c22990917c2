// SPDX-License-Identifier: BSD-3-Clause
//
// Finding hubs (hub_columns.hpp): a histogram of the columns, those with many entries sorted; then
// one pass over the entries that gives them their new numbers and counts the sectors of x that
// warps load, with and without hubs.
#include <algorithm>
#include <numeric>

#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/csr_balanced/balanced_tuning.hpp"
#include "kernels/gpu/csr_balanced/hub_columns.hpp"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

/// Flags the columns with more than `fewest` entries; how many entries these have together.
__global__ void flag_busy_columns(const unsigned* counts, LocalIndex columns, unsigned fewest,
                                  unsigned char* flags, unsigned long long* entries) {
  const std::int64_t c = thread_index();
  const unsigned count = c < columns ? counts[c] : 0;
  const bool busy = count > fewest;
  if (c < columns) flags[c] = busy ? 1 : 0;
  const auto sum = sum_of_lanes(busy ? static_cast<unsigned long long>(count) : 0);
  if (sum > 0 && c % warp_size == 0) atomicAdd(entries, sum);
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

/// Columns with more than `fewest` entries; none where all of these have fewer than `needed`.
MostUsed most_used(const LocalIndex* indices, Offset entries, LocalIndex columns, std::int32_t most,
                   unsigned fewest, double needed) {
  const auto counts = filled_array<unsigned>(columns);
  const DeviceArray<unsigned char> flags(columns);
  const auto of_busy = filled_array<unsigned long long>(1);
  for_each_item(entries, [=, counts = counts.data()] __device__(std::int64_t e) {
    atomicAdd(counts + indices[e], 1u);
  });
  launch_items(flag_busy_columns, columns, counts.data(), columns, fewest, flags.data(),
               of_busy.data());
  const unsigned long long entries_of_busy = of_busy.back();
  if (entries_of_busy == 0 || static_cast<double>(entries_of_busy) < needed) return {};

  const DeviceArray<std::int64_t> busy = places_of_flags(flags);
  const DeviceArray<unsigned> keys(busy.size());
  for_each_item(busy.size(), [=, counts = counts.data(), busy = busy.data(),
                              keys = keys.data()] __device__(std::int64_t k) {
    keys[k] = ~counts[busy[k]];  // which rise as counts fall
  });
  const auto sorted = sorted_order<std::uint32_t>(keys.data(), keys.size());
  const auto size = std::min<std::int64_t>(most, busy.size());
  const DeviceArray<LocalIndex> hubs(size);
  for_each_item(size,
                [=, busy = busy.data(), order = sorted.order.data(), hubs = hubs.data()] __device__(
                    std::int64_t h) { hubs[h] = static_cast<LocalIndex>(busy[order[h]]); });
  std::vector<unsigned> keys_of_hubs(static_cast<std::size_t>(size));
  copy_now(keys_of_hubs.data(), sorted.keys.data(), keys_of_hubs.size() * sizeof(unsigned));
  MostUsed result{hubs.to_host()};
  result.entries = std::accumulate(keys_of_hubs.begin(), keys_of_hubs.end(), Offset{0},
                                   [](Offset sum, unsigned key) { return sum + ~key; });
  std::sort(result.columns.begin(), result.columns.end());
  return result;
}

}  // namespace

HubColumns find_hubs(const LocalIndex* indices, Offset entries, LocalIndex columns,
                     std::size_t vector_value_bytes, std::int32_t most, HubChoice choice) {
  const bool always = choice == HubChoice::always;
  if (entries == 0 || most == 0 || (!always && columns <= most)) return {};
  const int multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  const double needed = always ? 0 : smallest_hub_share * static_cast<double>(entries);
  const MostUsed hubs = most_used(indices, entries, columns, most,
                                  always ? 0 : static_cast<unsigned>(multiprocessors), needed);
  if (hubs.columns.empty() || static_cast<double>(hubs.entries) < needed) return {};

  HubColumns result;
  result.columns = device_array(hubs.columns);
  result.indices = DeviceArray<LocalIndex>(entries);
  const auto hub_of = filled_array<LocalIndex>(columns, 0xff);  // -1
  for_each_item(result.count(),
                [=, hubs = result.columns.data(), hub_of = hub_of.data()] __device__(
                    std::int64_t h) { hub_of[hubs[h]] = static_cast<LocalIndex>(h); });
  const auto sectors = filled_array<Sectors>(1);
  launch_items(code_entries, entries, indices, entries, hub_of.data(),
               sector_bytes / static_cast<int>(vector_value_bytes), result.indices.data(),
               sectors.data());
  const Sectors count = sectors.back();
  if (static_cast<double>(count.all - count.without_hubs) < needed) return {};
  return result;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What a plan and a partition mean for all ranks, from the plan alone (halo_plan.hpp).
#include <algorithm>
#include <set>

#include "partition/halo_plan.hpp"

namespace rowhalo {

namespace {

double mean(const std::vector<std::int64_t>& values) {
  return static_cast<double>(starts_of(values).back()) / static_cast<double>(values.size());
}

double smallest(const std::vector<std::int64_t>& values) {
  return static_cast<double>(std::ranges::min(values));
}

double largest(const std::vector<std::int64_t>& values) {
  return static_cast<double>(std::ranges::max(values));
}

}  // namespace

HaloPlan joined(const HaloPlan& first, const HaloPlan& second) {
  HaloPlan both = first;
  both.owned += second.owned;
  both.ghosts += second.ghosts;
  both.send_indices.insert(both.send_indices.end(), second.send_indices.begin(),
                           second.send_indices.end());
  both.sends.insert(both.sends.end(), second.sends.begin(), second.sends.end());
  both.receives.insert(both.receives.end(), second.receives.begin(), second.receives.end());
  const auto by_rank = [](const auto& a, const auto& b) { return a.rank < b.rank; };
  std::ranges::stable_sort(both.sends, by_rank);
  std::ranges::stable_sort(both.receives, by_rank);
  return both;
}

HaloStatistics halo_statistics(const Comm& comm, const HaloPlan& plan, const LocalMatrix& matrix) {
  std::set<int> reached;
  for (const HaloPlan::Send& send : plan.sends) reached.insert(send.rank);
  const auto entries = static_cast<std::int64_t>(plan.send_indices.size());
  const std::vector<std::int64_t> neighbors = gather_to_all(comm, std::ssize(reached));

  HaloStatistics statistics;
  statistics.neighbors_mean = mean(neighbors);
  statistics.neighbors_max = largest(neighbors);
  statistics.messages = sum_over_ranks(comm, std::ssize(plan.sends));
  statistics.entries_total = sum_over_ranks(comm, entries);
  statistics.entries_max_rank = max_over_ranks(comm, entries);
  statistics.boundary_rows = sum_over_ranks(comm, matrix.boundary.count);
  return statistics;
}

PartitionStatistics partition_statistics(const Comm& comm, const LocalMatrix& matrix,
                                         Offset summed) {
  const std::vector<std::int64_t> rows = gather_to_all(comm, matrix.owned_rows);
  const std::vector<std::int64_t> nonzeros = gather_to_all(comm, matrix.offsets.back() + summed);

  PartitionStatistics statistics;
  statistics.rows_min = smallest(rows);
  statistics.rows_mean = mean(rows);
  statistics.rows_max = largest(rows);
  statistics.nonzeros_min = smallest(nonzeros);
  statistics.nonzeros_mean = mean(nonzeros);
  statistics.nonzeros_max = largest(nonzeros);
  if (statistics.nonzeros_mean > 0) {
    statistics.imbalance = statistics.nonzeros_max / statistics.nonzeros_mean;
  }
  const auto cut = std::count_if(matrix.indices.begin(), matrix.indices.end(),
                                 [&](LocalIndex column) { return column >= matrix.owned_columns; });
  statistics.edge_cut = sum_over_ranks(comm, cut);
  return statistics;
}

}  // namespace rowhalo

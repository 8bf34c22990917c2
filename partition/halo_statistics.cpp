// SPDX-License-Identifier: BSD-3-Clause
//
// What a plan and a partition mean for all ranks, from the plan alone (halo_plan.hpp).
#include <algorithm>
#include <numeric>

#include "partition/halo_plan.hpp"

namespace rowhalo {

namespace {

double mean(const std::vector<std::int64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0})) /
         static_cast<double>(values.size());
}

double smallest(const std::vector<std::int64_t>& values) {
  return static_cast<double>(*std::min_element(values.begin(), values.end()));
}

double largest(const std::vector<std::int64_t>& values) {
  return static_cast<double>(*std::max_element(values.begin(), values.end()));
}

}  // namespace

HaloStatistics halo_statistics(const Comm& comm, const HaloPlan& plan, const LocalMatrix& matrix) {
  const auto sends = static_cast<std::int64_t>(plan.sends.size());
  const auto entries = static_cast<std::int64_t>(plan.send_indices.size());
  const std::vector<std::int64_t> neighbors = gather_to_all(comm, sends);

  HaloStatistics statistics;
  statistics.neighbors_mean = mean(neighbors);
  statistics.neighbors_max = largest(neighbors);
  statistics.messages = std::accumulate(neighbors.begin(), neighbors.end(), std::int64_t{0});
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

// SPDX-License-Identifier: BSD-3-Clause
//
// HaloPlan: who sends which entries of x to whom before a product. Pure data; every transport works
// from it and every statistic is computed from it.
#pragma once

#include <cstdint>
#include <vector>

#include "partition/local_matrix.hpp"

namespace rowhalo {

struct HaloPlan {
  /// Entries that this rank sends to `rank`: owned local columns send_indices[begin, begin +
  /// count), ascending. They land in the receiver's ghosts from `remote_begin` on.
  struct Send {
    int rank;
    LocalIndex begin, count, remote_begin;
  };
  /// Ghosts [begin, begin + count) (0 is the first ghost) that come from `rank`.
  struct Receive {
    int rank;
    LocalIndex begin, count;
  };

  LocalIndex owned = 0;   ///< entries of x that this rank owns
  LocalIndex ghosts = 0;  ///< entries of x that it receives
  std::vector<LocalIndex> send_indices;
  std::vector<Send> sends;        ///< ascending rank, count > 0, never this rank
  std::vector<Receive> receives;  ///< likewise
};

/// Collective.
HaloPlan make_halo_plan(const Comm& comm, const LocalMatrix& matrix, Progress& progress);

/// Local. The messages of two plans one after the other, for statistics.
HaloPlan joined(const HaloPlan& first, const HaloPlan& second);

/// What the plan and the partition mean for all ranks; the same on each.
struct HaloStatistics {
  double neighbors_mean = 0, neighbors_max = 0;  ///< ranks that a rank sends to
  std::int64_t messages = 0;                     ///< a product
  std::int64_t entries_total = 0;                ///< of x sent a product
  std::int64_t entries_max_rank = 0;             ///< most sent by one rank
  std::int64_t boundary_rows = 0;
};
struct PartitionStatistics {
  double rows_min = 0, rows_mean = 0, rows_max = 0;
  double nonzeros_min = 0, nonzeros_mean = 0, nonzeros_max = 0;
  double imbalance = 1;       ///< nonzeros_max / nonzeros_mean, 1 for an empty matrix
  std::int64_t edge_cut = 0;  ///< nonzeros whose column is a ghost
};

/// Collective.
HaloStatistics halo_statistics(const Comm& comm, const HaloPlan& plan, const LocalMatrix& matrix);
/// `summed`: entries that this rank multiplies for others (partial_sums.hpp).
PartitionStatistics partition_statistics(const Comm& comm, const LocalMatrix& matrix,
                                         Offset summed = 0);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Builds the plan (halo_plan.hpp): ghosts ascend in new global numbers, so they are grouped by
// owner already; every rank asks each owner for them by number, and the owner's order of sending is
// the order of asking.
#include "partition/halo_plan.hpp"

namespace rowhalo {

HaloPlan make_halo_plan(const Comm& comm, const LocalMatrix& matrix, Progress& progress) {
  progress.phase("halo plan");
  HaloPlan plan;
  plan.owned = matrix.owned_columns;
  plan.ghosts = static_cast<LocalIndex>(matrix.ghosts.size());

  std::vector<std::int64_t> counts(comm.size, 0), begins(comm.size, 0);
  for (LocalIndex ghost = 0; ghost < plan.ghosts;) {
    const int owner = matrix.columns.owner(matrix.ghosts[ghost]);
    const LocalIndex begin = ghost;
    while (ghost < plan.ghosts && matrix.ghosts[ghost] < matrix.columns.starts[owner + 1]) ++ghost;
    plan.receives.push_back({owner, begin, ghost - begin});
    counts[owner] = ghost - begin;
    begins[owner] = begin;
  }

  std::vector<std::int64_t> asked_counts;
  const std::vector<GlobalIndex> asked = exchange(comm, matrix.ghosts, counts, asked_counts);
  const std::vector<std::int64_t> remote_begins = exchange_counts(comm, begins);
  agreed_local_count(comm, static_cast<std::int64_t>(asked.size()),
                     "send {} entries of x in one product");
  plan.send_indices.reserve(asked.size());
  for (const GlobalIndex number : asked) {
    plan.send_indices.push_back(static_cast<LocalIndex>(number - matrix.columns.starts[comm.rank]));
  }
  LocalIndex begin = 0;
  for (int rank = 0; rank < comm.size; ++rank) {
    if (asked_counts[rank] == 0) continue;
    const auto count = static_cast<LocalIndex>(asked_counts[rank]);
    plan.sends.push_back({rank, begin, count, static_cast<LocalIndex>(remote_begins[rank])});
    begin += count;
  }
  return plan;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What an assignment of rows to parts is worth: computed from the owners alone, before anything
// moves, for as many parts as one likes. What halo_statistics says of a HaloPlan must agree.
#pragma once

#include <cstdint>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Entries of x that part `from` sends to part `to` before a product.
struct Flow {
  int from, to;
  std::int64_t entries;
};

/// The same on every rank, but for the flows, of which there may be as many as pairs of parts.
struct PartitionQuality {
  std::vector<std::int64_t> rows, nonzeros;     ///< one per part
  std::vector<std::int64_t> boundary_nonzeros;  ///< likewise, of rows with a column elsewhere
  std::int64_t edge_cut = 0;                    ///< nonzeros whose column belongs to another part
  std::int64_t halo_entries = 0;                ///< sum over all flows: the halo volume
  std::int64_t messages = 0;                    ///< number of all flows
  /// This rank's rows of the communication matrix, those of its even share of the parts: ascending
  /// (from, to), entries > 0, from != to.
  std::vector<Flow> flows;

  int parts() const { return static_cast<int>(rows.size()); }
  double imbalance() const;      ///< most nonzeros of a part over the mean; 1 without any
  double row_imbalance() const;  ///< likewise of rows
};

/// Collective. `owners`: a part of [0, parts) for each of this rank's rows (its even share). x is
/// owned as y is when the matrix is square, else it is distributed evenly over the parts.
PartitionQuality partition_quality(const Comm& comm, const DistributedCsr& matrix,
                                   const std::vector<int>& owners, int parts, Progress& progress);

}  // namespace rowhalo

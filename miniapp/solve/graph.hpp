// SPDX-License-Identifier: BSD-3-Clause
//
// A matrix as the graph of PageRank: a_ij is the weight of the edge from j to i.
#pragma once

#include <vector>

#include "partition/comm.hpp"
#include "partition/local_matrix.hpp"

namespace rowhalo {

/// Collective. Divides every entry by the sum of its column. Returns, per owned column, 1 where
/// that sum is 0 (dangling: nowhere to go) and 0 elsewhere. Sums are identical for any number of
/// ranks and partition, and neither overflow nor underflow. Throws AgreedError (usage) where an
/// entry is negative or not finite.
std::vector<double> normalize_columns(const Comm& comm, LocalMatrix& matrix);

}  // namespace rowhalo

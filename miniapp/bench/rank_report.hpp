// SPDX-License-Identifier: BSD-3-Clause
//
// What `run --hdf5` has beside the JSON: what each rank owns, how long its part of a product takes,
// and who sends how much to whom. It grows with the ranks, so it is gathered only when asked for.
#pragma once

#include "io/report/report.hpp"
#include "miniapp/bench/measurement.hpp"
#include "partition/halo_plan.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

/// Collective. Complete but for `communication` on rank 0, empty on the others.
RankReport describe_ranks(const Comm& comm, const LocalMatrix& matrix, const HaloPlan& plan,
                          const OwnTimes& own);

/// Collective. Flows on rank 0 only, ascending (from, to).
CommunicationReport describe_communication(const Comm& comm, const HaloPlan& plan,
                                           const NodeMap& nodes, const std::string& partition,
                                           Precision precision);

}  // namespace rowhalo

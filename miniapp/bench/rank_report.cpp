// SPDX-License-Identifier: BSD-3-Clause
//
// Values of all ranks on rank 0 (rank_report.hpp).
#include "miniapp/bench/rank_report.hpp"

#include "miniapp/bench/describe.hpp"
#include "partition/matrix/directory.hpp"

namespace rowhalo {

namespace {

std::vector<std::int64_t> gather_count(const Comm& comm, std::int64_t count) {
  return gather_on_root(comm, std::vector<std::int64_t>{count});
}

}  // namespace

RankReport describe_ranks(const Comm& comm, const LocalMatrix& matrix, const HaloPlan& plan,
                          const OwnTimes& own) {
  RankReport report;
  report.rows = gather_count(comm, matrix.owned_rows);
  report.nonzeros = gather_count(comm, matrix.offsets.back());
  report.boundary_rows = gather_count(comm, matrix.boundary.count);
  report.ghosts = gather_count(comm, plan.ghosts);
  report.sent_entries = gather_count(comm, std::ssize(plan.send_indices));
  report.phases = gather_on_root(comm, std::vector<PhaseReport>{own.phases});
  report.batch_seconds = gather_on_root(comm, own.batch_seconds);
  report.local_batch_seconds = gather_on_root(comm, own.local_batch_seconds);
  return report;
}

CommunicationReport describe_communication(const Comm& comm, const HaloPlan& plan,
                                           const NodeMap& nodes, const std::string& partition,
                                           Precision precision) {
  std::vector<Flow> flows;  // one per rank, however many messages
  for (const Flow& flow : sent_flows(comm, plan)) {
    if (!flows.empty() && flows.back().to == flow.to) {
      flows.back().entries += flow.entries;
    } else {
      flows.push_back(flow);
    }
  }
  return {partition, comm.size, nodes.node_of, static_cast<int>(vector_value_bytes(precision)),
          gather_on_root(comm, flows)};
}

}  // namespace rowhalo

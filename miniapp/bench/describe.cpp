// SPDX-License-Identifier: BSD-3-Clause
//
// Fills the parts of the report (describe.hpp).
#include "miniapp/bench/describe.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>

#include "partition/matrix/directory.hpp"

namespace rowhalo {

namespace {

std::vector<std::int64_t> gather_count(const Comm& comm, std::int64_t count) {
  return gather_on_root(comm, std::vector<std::int64_t>{count});
}

struct Part {
  double WallReport::*seconds;
  std::vector<std::string_view> phases;  ///< or what phases begin with, before ':'
};

const std::vector<Part>& parts() {
  static const std::vector<Part> table{
      {&WallReport::start, {"start", "start CUDA", "start MPI"}},
      {&WallReport::read, {"outline", "read", "assemble", "generate", "transpose"}},
      {&WallReport::partition,
       {"shuffle", "partition", "partition quality", "rows migrate to their owners",
        "numbering rows and columns", "reordering rows", "partial sums", "halo plan", "plan"}},
      {&WallReport::choose, {"convert", "choose transport"}},
      {&WallReport::measure, {"measure", "measure formats", "measure bandwidth", "trace", "solve"}},
      {&WallReport::validate,
       {"check the symmetry", "solve with PETSc", "check the solution", "validate",
        "validate with PETSc"}},
      {&WallReport::write, {"save y", "write"}},
  };
  return table;
}

double& part_of(WallReport& wall, std::string_view phase) {
  const std::string_view head = phase.substr(0, phase.find(':'));
  for (const Part& part : parts()) {
    if (std::ranges::find(part.phases, head) != part.phases.end()) return wall.*part.seconds;
  }
  return wall.other;
}

/// Seconds since this process was started, to a hundredth; 0 where the system does not say.
double process_age() {
  std::ifstream stat("/proc/self/stat"), uptime("/proc/uptime");
  std::string text;
  double up = 0, started = 0;
  if (!std::getline(stat, text, ')') || !(uptime >> up)) return 0;
  // After the name in brackets, which may hold anything: field 3 on; the start is field 22.
  for (int field = 3; field < 22; ++field) stat >> text;
  if (!(stat >> started)) return 0;
  return up - started / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

MatrixReport describe_matrix(const Comm& comm, const DistributedCsr& matrix) {
  MatrixReport report;
  report.info = matrix.info;
  report.nonzeros = sum_over_ranks(comm, matrix.local_nonzeros());
  report.fingerprint = fingerprint(comm, matrix);
  if (report.info.rows == 0) return report;

  const double mean = static_cast<double>(report.nonzeros) / static_cast<double>(report.info.rows);
  double shortest = std::numeric_limits<double>::infinity(), longest = 0, squares = 0;
  for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    const auto length = static_cast<double>(matrix.offsets[row + 1] - matrix.offsets[row]);
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
    squares += (length - mean) * (length - mean);
  }
  report.row_length = {-max_over_ranks(comm, -shortest), mean, max_over_ranks(comm, longest)};
  report.row_length_stddev =
      std::sqrt(sum_reals_over_ranks(comm, squares) / static_cast<double>(report.info.rows));
  return report;
}

MatrixReport describe_outline(const MatrixOutline& outline) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  MatrixReport report;
  report.info = outline.info;
  report.nonzeros = outline.nonzeros;
  const auto rows = static_cast<double>(outline.info.rows);
  const double mean = rows == 0 ? 0 : static_cast<double>(outline.nonzeros) / rows;
  report.row_length = {unknown, mean, unknown};
  report.row_length_stddev = unknown;
  return report;
}

std::vector<Flow> sent_flows(const Comm& comm, const HaloPlan& plan) {
  std::vector<Flow> flows;
  for (const HaloPlan::Send& send : plan.sends) {
    flows.push_back({comm.rank, send.rank, send.count});
  }
  return flows;
}

HaloReport describe_halo(const Comm& comm, const LocalMatrix& matrix, const HaloPlan& plan,
                         const NodeMap& nodes, Precision precision) {
  HaloReport report;
  report.planned = halo_statistics(comm, plan, matrix);
  report.planned_between_nodes =
      sum_over_ranks(comm, traffic_between_nodes(sent_flows(comm, plan), nodes));
  report.sent_between_nodes = report.planned_between_nodes;
  report.entry_bytes = static_cast<int>(vector_value_bytes(precision));
  return report;
}

NodeTraffic sum_over_ranks(const Comm& comm, const NodeTraffic& own) {
  return {sum_over_ranks(comm, own.messages), sum_over_ranks(comm, own.entries)};
}

PartitionJudgement describe_candidate(const PartitionCandidate& candidate, Precision precision) {
  PartitionJudgement judgement{
      candidate.name, {}, candidate.seconds, candidate.outcome, candidate.figures};
  if (!candidate.quality) return judgement;
  const PartitionQuality& quality = *candidate.quality;
  const auto entry_bytes = static_cast<std::int64_t>(vector_value_bytes(precision));
  std::int64_t most_sent = 0, most_neighbors = 0;
  NodeTraffic between;
  for (const PartTraffic& part : candidate.traffic) {
    most_sent = std::max(most_sent, part.sent_inside.entries + part.sent_between.entries);
    most_neighbors =
        std::max(most_neighbors, part.sent_inside.messages + part.sent_between.messages);
    between.add(part.sent_between);
  }
  PartitionNumbers& numbers = judgement.numbers.emplace();
  numbers.imbalance = quality.imbalance();
  numbers.row_imbalance = quality.row_imbalance();
  numbers.edge_cut = quality.edge_cut;
  numbers.halo_entries = quality.halo_entries;
  numbers.halo_bytes = numbers.halo_entries * entry_bytes;
  numbers.halo_bytes_max_rank = most_sent * entry_bytes;
  numbers.neighbors_mean = double(quality.messages) / quality.parts();
  numbers.neighbors_max = double(most_neighbors);
  numbers.messages_between_nodes = between.messages;
  numbers.messages_inside_nodes = quality.messages - between.messages;
  numbers.bytes_between_nodes = between.entries * entry_bytes;
  numbers.predicted_seconds = candidate.predicted_seconds;
  return judgement;
}

KernelReport describe_kernel(const Comm& comm, const LocalKernels& kernels, Device device,
                             Precision precision) {
  const KernelWork work = kernels.work();
  KernelReport report;
  report.device = name_of(device);
  report.parameters = kernels.interior->work().parameters;
  report.precision = precision;
  report.bytes = sum_over_ranks(comm, work.bytes);
  report.flops = sum_over_ranks(comm, work.flops);
  report.footprint_bytes = sum_over_ranks(comm, work.footprint_bytes);
  report.setup_seconds = max_over_ranks(comm, work.setup_seconds);
  return report;
}

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

std::int64_t peak_host_bytes(const Comm& comm) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return max_over_ranks(comm, std::int64_t{usage.ru_maxrss} * 1024);
}

PerformanceReport describe_performance(const MatrixReport& matrix, Precision precision,
                                       double seconds, int vectors) {
  const auto value = static_cast<double>(matrix_value_bytes(precision));
  const auto entry = static_cast<double>(vector_value_bytes(precision));
  const auto rows = static_cast<double>(matrix.info.rows),
             columns = static_cast<double>(matrix.info.columns);
  const auto nonzeros = static_cast<double>(matrix.nonzeros);
  const bool dense = nonzeros == rows * columns;
  const double index_bytes = dense ? 0 : 4 * nonzeros + 4 * rows;
  const double bytes = value * nonzeros + vectors * entry * (rows + columns) + index_bytes;
  PerformanceReport report;
  if (seconds > 0) {
    report.gflops = 2 * vectors * nonzeros / seconds * 1e-9;
    report.gbytes_per_second = bytes / seconds * 1e-9;
  }
  return report;
}

WallReport wall_of(const Progress& progress) {
  WallReport wall;
  for (const PhaseTime& time : progress.times()) {
    part_of(wall, time.phase) += time.seconds;
    wall.seconds += time.seconds;
  }
  const double before = process_age() - wall.seconds;  // before main()
  if (before > 0) {
    wall.start += before;
    wall.seconds += before;
  }
  return wall;
}

}  // namespace rowhalo

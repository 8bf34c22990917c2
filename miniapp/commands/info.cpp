// SPDX-License-Identifier: BSD-3-Clause
//
// The stages of `rowhalo info` (info.hpp). Partitions are judged from owners alone
// (partition/quality.hpp): no row moves, so the ranks that are planned for need not be there.
#include "miniapp/commands/info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/sources.hpp"
#include "miniapp/bench/describe.hpp"
#include "miniapp/bench/memory_model.hpp"
#include "miniapp/commands/experiment.hpp"
#include "partition/matrix/directory.hpp"

namespace rowhalo {

namespace {

/// What is planned for, which need not be what runs.
struct Plan {
  const RunOptions& options;
  const InfoOptions& plan;
  const Job& job;
  const Machine& machine;
  int parts;
  NodeMap nodes;
};

Plan plan_of(const CommandLine& line, const Job& job, const Machine& machine) {
  const int parts = line.info.ranks > 0 ? line.info.ranks : job.comm.size;
  const int ranks_per_node = line.run.ranks_per_node;
  return {line.run,
          line.info,
          job,
          machine,
          parts,
          parts == job.comm.size ? node_map(job.comm, ranks_per_node)
                                 : emulated_nodes(parts, ranks_per_node)};
}

/// Bytes of the smallest device's memory for each rank that shares it; empty: unknown.
std::optional<std::int64_t> device_capacity(const Plan& p) {
  if (p.plan.device_memory_gb > 0) return std::llround(p.plan.device_memory_gb * 1e9);
  if (p.machine.device.site.device == Device::cpu) return std::nullopt;
  const std::int64_t bytes = describe_device(current_device()).memory_bytes;
  return -max_over_ranks(p.job.comm, -bytes) / p.machine.device.ranks_per_device;
}

/// Memory of the rank that needs most, of those with `shares`.
MemoryNeed predict(const Plan& p, const std::vector<RankShare>& shares) {
  constexpr std::int64_t most_local = std::numeric_limits<LocalIndex>::max();
  const std::string& matrix = p.options.matrix;
  const bool text = matrix.ends_with(".mtx") || matrix.ends_with(".mtx.gz");
  MemoryNeed need;
  for (const RankShare& share : shares) {
    const MemoryPrediction one = predict_memory(share, p.options.precision,
                                                text ? Reading::text : Reading::binary_or_generated,
                                                p.parts, p.machine.base_bytes);
    need.rows = std::max(need.rows, share.rows);
    need.nonzeros = std::max(need.nonzeros, share.nonzeros);
    need.ghosts = std::max(need.ghosts, share.ghosts);
    need.host_peak_bytes = std::max(need.host_peak_bytes, one.host_peak_bytes);
    need.host_bytes = std::max(need.host_bytes, one.host_bytes);
    need.device_bytes = std::max(need.device_bytes, one.device_bytes);
    const std::int64_t local = std::max(share.rows, share.columns + share.ghosts);
    if (local > most_local) {
      need.note =
          fmt::format("a rank would have {} rows or columns, {} are possible: use more ranks",
                      local, most_local);
    }
  }
  need.device_capacity_bytes = device_capacity(p);
  if (need.device_capacity_bytes) {
    need.fits = need.note.empty() && need.device_bytes <= *need.device_capacity_bytes;
  }
  return need;
}

/// --dry: even shares of what the source says of itself.
void outline(const Plan& p, RunReport& report) {
  p.job.progress.phase("outline");
  const MatrixOutline outline = outline_matrix(p.options.matrix, p.options.block, p.job.comm);
  const MatrixInfo& matrix = outline.info;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  report.matrix.info = matrix;
  report.matrix.nonzeros = outline.nonzeros;
  const double mean = matrix.rows == 0 ? 0 : double(outline.nonzeros) / double(matrix.rows);
  report.matrix.row_length = {unknown, mean, unknown};
  report.matrix.row_length_stddev = unknown;
  report.info->exact_nonzeros = outline.exact;
  if (matrix.grid) report.info->grid = matrix.grid->extent;
  // The first rank has the largest even share.
  const auto share = [&](std::int64_t items, int block) {
    return even_split(items, block, p.parts, 1);
  };
  report.info->need =
      predict(p, {{share(matrix.rows, matrix.block), share(matrix.columns, matrix.block),
                   share(outline.nonzeros, 1), 0, 0}});
}

/// The partitioner that was named, those that auto looked at, or all.
std::vector<PartitionCandidate> candidates(const Plan& p, const DistributedCsr& matrix) {
  const PartitionRequest request =
      partition_request(p.options, p.machine.device.site.device, p.nodes);
  if (request.partition == all_partitioners) {
    return compare_partitioners(p.job.comm, matrix, request, p.job.progress);
  }
  Assignment assignment;
  PartitionCandidate candidate;
  candidate.seconds = timed(
      p.job.comm, [&] { assignment = assign_owners(p.job.comm, matrix, request, p.job.progress); });
  if (!assignment.candidates.empty()) return assignment.candidates;
  candidate.name = assignment.name;
  judge_owners(p.job.comm, matrix, assignment.owners, request, candidate, p.job.progress);
  return {candidate};
}

/// The usable candidate whose product is predicted to be the shortest. Throws AgreedError.
const PartitionCandidate& best_of(const std::vector<PartitionCandidate>& list) {
  const PartitionCandidate* best = nullptr;
  for (const PartitionCandidate& candidate : list) {
    if (!candidate.quality) continue;
    if (!best || candidate.predicted_seconds < best->predicted_seconds) best = &candidate;
  }
  if (best == nullptr) {
    throw AgreedError(ExitCode::usage,
                      "no partitioner can be used; the last said: " + list.back().reason);
  }
  return *best;
}

PartitionReport describe_best(const Plan& p, const PartitionCandidate& best) {
  const PartitionQuality& quality = *best.quality;
  const auto spread = [](const std::vector<std::int64_t>& loads) {
    double sum = 0;
    for (const std::int64_t load : loads) sum += double(load);
    const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
    return Spread{double(*least), sum / double(loads.size()), double(*most)};
  };
  const Spread rows = spread(quality.rows), nonzeros = spread(quality.nonzeros);
  return {best.name,
          p.parts,
          {rows.min, rows.mean, rows.max, nonzeros.min, nonzeros.mean, nonzeros.max,
           quality.imbalance(), quality.edge_cut},
          p.nodes.nodes,
          p.options.hierarchical};
}

std::vector<RankShare> shares_of(const Plan& p, const MatrixInfo& matrix,
                                 const PartitionCandidate& best) {
  std::vector<RankShare> shares(p.parts);
  for (int part = 0; part < p.parts; ++part) {
    RankShare& share = shares[part];
    share.rows = share.columns = best.quality->rows[part];
    if (matrix.rows != matrix.columns) {
      share.columns = even_split(matrix.columns, matrix.block, p.parts, part + 1) -
                      even_split(matrix.columns, matrix.block, p.parts, part);
    }
    share.nonzeros = best.quality->nonzeros[part];
    const PartTraffic& traffic = best.traffic[part];
    share.ghosts = traffic.received_inside.entries + traffic.received_between.entries;
    share.sent = traffic.sent_inside.entries + traffic.sent_between.entries;
  }
  return shares;
}

/// Every partition's worth; of the best one, who sends what to whom, and the memory.
void judge(const Plan& p, const DistributedCsr& matrix, RunReport& report) {
  p.job.progress.phase("partition");
  std::vector<PartitionCandidate> list;
  report.setup.partition_seconds = timed(p.job.comm, [&] { list = candidates(p, matrix); });
  for (const PartitionCandidate& candidate : list) {
    report.info->partitions.push_back(describe_candidate(candidate, p.options.precision));
  }
  const PartitionCandidate& best = best_of(list);
  report.partition = describe_best(p, best);
  report.communication =
      CommunicationReport{best.name, p.parts, p.nodes.node_of,
                          static_cast<int>(vector_value_bytes(p.options.precision)),
                          gather_on_root(p.job.comm, best.quality->flows)};
  report.info->need = predict(p, shares_of(p, matrix.info, best));
}

/// All but --dry; ends early when a signal has come.
void inspect(const Plan& p, RunReport& report) {
  DistributedCsr matrix = read_matrix(p.options, p.job, report);
  if (interrupted(p.job, report)) return;
  p.job.progress.phase("statistics of the matrix");
  if (matrix.info.grid) report.info->grid = matrix.info.grid->extent;
  report.info->statistics = matrix_statistics(p.job.comm, matrix, p.job.progress);
  shuffle_matrix(p.options, p.job, matrix);
  if (interrupted(p.job, report)) return;
  judge(p, matrix, report);
  interrupted(p.job, report);
}

/// The why of the RESULT line, and the exit status.
ExitCode conclude_info(RunReport& report) {
  const InfoReport& info = *report.info;
  if (report.status == RunStatus::interrupted) {
    report.verdict = "interrupted by a signal";
    return ExitCode::run_time;
  }
  if (info.dry) {
    report.verdict = fmt::format("outline for {} ranks, nothing was read", info.ranks);
    return ExitCode::fine;
  }
  const auto usable = std::count_if(info.partitions.begin(), info.partitions.end(),
                                    [](const PartitionJudgement& p) { return bool(p.numbers); });
  report.verdict =
      fmt::format("{} partition{} for {} ranks", usable, usable == 1 ? "" : "s", info.ranks);
  return ExitCode::fine;
}

}  // namespace

ExitCode info(const CommandLine& line, const Job& job) {
  RunReport report = report_of("info", line);
  Outputs outputs(line.run, job.comm);
  const Machine machine = begin(line.run, job, Purpose::inspection, outputs, report);
  const Plan plan = plan_of(line, job, machine);
  InfoReport& info = report.info.emplace();
  info.dry = line.info.dry;
  info.ranks = plan.parts;
  info.nodes = plan.nodes.nodes;
  info.hierarchical = line.run.hierarchical;
  if (info.dry) {
    outline(plan, report);
  } else {
    inspect(plan, report);
  }
  report.memory.peak_bytes_max_rank = peak_host_bytes(job.comm);
  const ExitCode code = conclude_info(report);
  return finish(job, outputs, report, code);
}

}  // namespace rowhalo

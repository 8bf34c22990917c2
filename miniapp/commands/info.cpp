// SPDX-License-Identifier: BSD-3-Clause
//
// The stages of `rowhalo info`. Partitions are judged from owners alone
// (partition/quality.hpp): no row moves, so the ranks that are planned for need not be there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/sources.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/bench/describe.hpp"
#include "miniapp/bench/expected.hpp"
#include "miniapp/bench/planned_work.hpp"
#include "miniapp/commands/experiment.hpp"
#include "partition/matrix/directory.hpp"
#include "partition/partitioners/functions.hpp"

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
  int ranks_per_node = line.run.ranks_per_node;
  if (ranks_per_node == 0 && machine.measured) {
    ranks_per_node = static_cast<int>(std::ceil(measured_ranks_per_node(*machine.measured)));
  }
  return {line.run,
          line.info,
          job,
          machine,
          parts,
          parts == job.comm.size ? node_map(job.comm, ranks_per_node)
                                 : emulated_nodes(parts, ranks_per_node)};
}

Device measured_device(const Plan& p) {
  return p.machine.measured->device == "gpu" ? Device::gpu : Device::cpu;
}

/// --machine: what a rank's work takes there.
MachineModel model_of(const Plan& p) {
  const Device device = measured_device(p);
  if (device == Device::gpu && !built_with_cuda()) {
    throw AgreedError(ExitCode::usage,
                      fmt::format("--machine {} was measured on GPUs, but this rowhalo was built "
                                  "without CUDA and knows no GPU format; use a build with CUDA",
                                  p.options.machine));
  }
  return {*p.machine.measured, prediction_model(device, p.nodes),
          static_cast<double>(p.parts) / p.nodes.nodes};
}

SampleRequest sample_request(const Plan& p) {
  return {measured_device(p), p.options.precision, p.options.value_codes};
}

/// What `works`, one per part, take; every process answers for its share of them.
ExpectedReport expected_of(const Plan& p, const MachineModel& model,
                           const std::vector<RankWork>& works) {
  const Comm& comm = p.job.comm;
  const auto begin = even_split(p.parts, 1, comm.size, comm.rank);
  const auto end = even_split(p.parts, 1, comm.size, comm.rank + 1);
  return expected_product(comm, model, std::span(works).subspan(begin, end - begin), p.parts,
                          "auto", p.options.machine);
}

/// --dry --machine: the grid in boxes, or in slabs, whichever is expected to be quicker. Most
/// ghosts of a rank.
std::int64_t expect_outline(const Plan& p, const MatrixOutline& outline, RunReport& report) {
  const bool all = p.options.partition == all_partitioners || p.options.partition == "auto";
  const bool boxes = all || p.options.partition == "box";
  const bool slabs = all || p.options.partition == "rows";
  if (!outline.info.grid || !(boxes || slabs)) {
    throw AgreedError(
        ExitCode::usage,
        "--dry --machine: messages are known beforehand for stencils and elasticity with "
        "--partition box or rows only; leave out --dry");
  }
  const Grid& grid = *outline.info.grid;
  const MachineModel model = model_of(p);
  const DistributedCsr rows = sample_rows(p.options.matrix, outline, p.job.progress);
  const double nonzeros = static_cast<double>(outline.nonzeros) / p.parts;
  const SampledCost cost = sampled_cost(rows, sample_request(p), model, nonzeros);
  std::vector<std::array<int, 3>> cuts;
  if (boxes) cuts.push_back(choose_boxes(grid, p.parts));
  // Rows are numbered along it last of all: slabs are cut there.
  const int last = grid.extent[2] > 1 ? 2 : (grid.extent[1] > 1 ? 1 : 0);
  if (slabs && p.parts <= grid.extent[last]) {
    cuts.push_back({1, 1, 1});
    cuts.back()[last] = p.parts;
  }
  if (cuts.empty()) {
    throw AgreedError(ExitCode::usage,
                      fmt::format("--dry --machine --partition rows: {} ranks are more than the {} "
                                  "layers of the grid; use box",
                                  p.parts, grid.extent[last]));
  }
  std::int64_t most_ghosts = 0;
  for (const std::array<int, 3>& cut : cuts) {
    const std::vector<RankWork> works =
        planned_work_of_boxes(outline, cut, p.nodes, cost, p.options.precision);
    const ExpectedReport expected = expected_of(p, model, works);
    if (report.expected && report.expected->seconds <= expected.seconds) continue;
    report.expected = expected;
    report.expected->partition = fmt::format("{} x {} x {} boxes", cut[0], cut[1], cut[2]);
    most_ghosts = 0;
    for (const RankWork& work : works) most_ghosts = std::max(most_ghosts, ghosts_of(work.traffic));
  }
  return most_ghosts;
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
  std::int64_t local = 0;
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
    local = std::max({local, share.rows, share.columns + share.ghosts});
  }
  if (local > most_local) {
    need.note = fmt::format("a rank would have {} rows or columns, {} are possible: use more ranks",
                            local, most_local);
  }
  need.device_capacity_bytes = device_capacity(p);
  if (need.device_capacity_bytes) {
    need.fits = local <= most_local && need.device_bytes <= *need.device_capacity_bytes;
  }
  return need;
}

/// --dry: even shares of what the source says of itself.
void outline(const Plan& p, RunReport& report) {
  p.job.progress.phase("outline");
  const MatrixOutline outline = outline_of(p.options, p.job);
  const MatrixInfo& matrix = outline.info;
  report.matrix = describe_outline(outline);
  report.info->exact_nonzeros = outline.exact;
  if (matrix.grid) report.info->grid = matrix.grid->extent;
  // The first rank has the largest even share.
  const auto share = [&](std::int64_t items, int block) {
    return even_split(items, block, p.parts, 1);
  };
  const std::int64_t ghosts = p.machine.measured ? expect_outline(p, outline, report) : 0;
  report.info->need =
      predict(p, {{share(matrix.rows, matrix.block), share(matrix.columns, matrix.block),
                   share(outline.nonzeros, 1), ghosts, ghosts}});
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

/// The usable candidate that is predicted, or with --machine expected, to be the quickest; what is
/// expected of it goes into the report. Throws AgreedError.
const PartitionCandidate& best_of(const Plan& p, const DistributedCsr& matrix,
                                  const std::vector<PartitionCandidate>& list, RunReport& report) {
  std::optional<MachineModel> model;
  SampledCost cost;
  if (p.machine.measured) {
    model = model_of(p);
    const double nonzeros = static_cast<double>(report.matrix.nonzeros) / p.parts;
    cost = mean_cost(p.job.comm, sampled_cost(matrix, sample_request(p), *model, nonzeros));
  }
  const PartitionCandidate* best = nullptr;
  double least = 0;
  for (const PartitionCandidate& candidate : list) {
    if (!candidate.quality) continue;
    double seconds = candidate.predicted_seconds;
    std::optional<ExpectedReport> expected;
    if (model) {
      expected = expected_of(
          p, *model,
          planned_work(*candidate.quality, candidate.traffic, cost, p.options.precision));
      expected->partition = candidate.name;
      seconds = expected->seconds;
    }
    if (best != nullptr && seconds >= least) continue;
    best = &candidate;
    least = seconds;
    report.expected = expected;
  }
  if (best == nullptr) {
    throw AgreedError(ExitCode::usage,
                      "no partitioner can be used; the last said: " + list.back().figures.refusal);
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
    share.ghosts = ghosts_of(traffic);
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
  const PartitionCandidate& best = best_of(p, matrix, list, report);
  report.partition = describe_best(p, best);
  report.communication =
      CommunicationReport{best.name, p.parts, p.nodes.node_of,
                          static_cast<int>(vector_value_bytes(p.options.precision)),
                          gather_on_root(p.job.comm, best.quality->flows)};
  report.info->need = predict(p, shares_of(p, matrix.info, best));
}

/// All but --dry.
void inspect(const Plan& p, RunReport& report) {
  DistributedCsr matrix = read_matrix(p.options, p.job, report);
  p.job.progress.phase("statistics of the matrix");
  if (matrix.info.grid) report.info->grid = matrix.info.grid->extent;
  report.info->statistics = matrix_statistics(p.job.comm, matrix, p.job.progress);
  leave_if_requested(p.job.comm, p.job.progress);
  shuffle_matrix(p.options, p.job, matrix);
  leave_if_requested(p.job.comm, p.job.progress);
  judge(p, matrix, report);
}

/// The why of the RESULT line.
std::string verdict_of(const InfoReport& info) {
  if (info.dry) return fmt::format("outline for {} ranks, nothing was read", info.ranks);
  const auto usable = std::count_if(info.partitions.begin(), info.partitions.end(),
                                    [](const PartitionJudgement& p) { return bool(p.numbers); });
  return fmt::format("{} partition{} for {} ranks", usable, usable == 1 ? "" : "s", info.ranks);
}

}  // namespace

ExitCode info(Session& session) {
  const CommandLine& line = session.line;
  RunReport& report = session.report;
  const Machine machine = begin(session, Purpose::inspection);
  const Plan plan = plan_of(line, session.job, machine);
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
  report.verdict = verdict_of(info);
  return finish(session, ExitCode::fine);
}

}  // namespace rowhalo

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
#include "miniapp/commands/session.hpp"
#include "partition/matrix/directory.hpp"

namespace rowhalo {

namespace {

class Info : public Session {
 public:
  Info(const CommandLine& line, const Job& job)
      : Session(line, job),
        line_(line.info),
        parts_(line.info.ranks > 0 ? line.info.ranks : job.comm.size) {
    report_.command = "info";
  }

  ExitCode execute() {
    begin(Purpose::inspection);
    nodes_ = parts_ == comm_.size ? node_map(comm_, options_.ranks_per_node)
                                  : emulated_nodes(parts_, options_.ranks_per_node);
    InfoReport& info = report_.info.emplace();
    info.dry = line_.dry;
    info.ranks = parts_;
    info.nodes = nodes_.nodes;
    info.hierarchical = options_.hierarchical;
    if (line_.dry) {
      outline();
    } else {
      using Stage = void (Info::*)();
      const Stage stages[] = {&Info::read, &Info::look, &Info::judge};
      for (const Stage stage : stages) {
        (this->*stage)();
        if (interrupted()) break;
      }
    }
    return finish();
  }

 private:
  void outline();
  void look();
  void judge();
  ExitCode finish();

  std::vector<PartitionCandidate> candidates();
  void report_best(const PartitionCandidate& best);
  void predict(const std::vector<RankShare>& shares);
  std::optional<std::int64_t> device_capacity() const;

  std::int64_t entry_bytes() const {
    return static_cast<std::int64_t>(vector_value_bytes(options_.precision));
  }

  const InfoOptions& line_;
  int parts_;
  NodeMap nodes_;
};

void set_grid(InfoReport& info, const MatrixInfo& matrix) {
  if (matrix.grid) info.grid = matrix.grid->extent;
}

/// --dry: even shares of what the source says of itself.
void Info::outline() {
  phase("outline");
  const MatrixOutline outline = outline_matrix(options_.matrix, options_.block, comm_);
  const MatrixInfo& matrix = outline.info;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  MatrixReport& report = report_.matrix;
  report.source = matrix.source;
  report.field = matrix.field;
  report.symmetry = matrix.symmetry;
  report.rows = matrix.rows;
  report.columns = matrix.columns;
  report.block = matrix.block;
  report.nonzeros = outline.nonzeros;
  const double mean = matrix.rows == 0 ? 0 : double(outline.nonzeros) / double(matrix.rows);
  report.row_length = {unknown, mean, unknown};
  report.row_length_stddev = unknown;
  report_.info->exact_nonzeros = outline.exact;
  set_grid(*report_.info, matrix);
  // The first rank has the largest even share.
  const auto share = [&](std::int64_t items, int block) {
    return even_split(items, block, parts_, 1);
  };
  predict({{share(matrix.rows, matrix.block), share(matrix.columns, matrix.block),
            share(outline.nonzeros, 1), 0, 0}});
}

void Info::look() {
  phase("statistics of the matrix");
  set_grid(*report_.info, source_->info);
  report_.info->statistics = matrix_statistics(comm_, *source_, progress_);
  renumber();
}

/// The partitioner that was named, those that auto looked at, or all.
std::vector<PartitionCandidate> Info::candidates() {
  const PartitionRequest request = partition_request(nodes_);
  if (request.partition == all_partitioners) {
    return compare_partitioners(comm_, *source_, request, progress_);
  }
  Assignment assignment;
  PartitionCandidate candidate;
  candidate.seconds =
      timed([&] { assignment = assign_owners(comm_, *source_, request, progress_); });
  if (!assignment.candidates.empty()) return assignment.candidates;
  candidate.name = assignment.name;
  judge_owners(comm_, *source_, assignment.owners, request, candidate, progress_);
  return {candidate};
}

void Info::judge() {
  phase("partition");
  std::vector<PartitionCandidate> list;
  report_.setup.partition_seconds = timed([&] { list = candidates(); });
  const PartitionCandidate* best = nullptr;
  for (const PartitionCandidate& candidate : list) {
    report_.info->partitions.push_back(describe_candidate(candidate, options_.precision));
    if (!candidate.quality) continue;
    if (!best || candidate.predicted_seconds < best->predicted_seconds) best = &candidate;
  }
  if (best == nullptr) {
    throw AgreedError(ExitCode::usage,
                      "no partitioner can be used; the last said: " + list.back().reason);
  }
  report_best(*best);
}

Spread spread_of(const std::vector<std::int64_t>& loads) {
  double sum = 0;
  for (const std::int64_t load : loads) sum += double(load);
  return {double(*std::min_element(loads.begin(), loads.end())), sum / double(loads.size()),
          double(*std::max_element(loads.begin(), loads.end()))};
}

/// The partition that the report describes closely, with who sends what to whom.
void Info::report_best(const PartitionCandidate& best) {
  const PartitionQuality& quality = *best.quality;
  PartitionReport& partition = report_.partition.emplace();
  partition.name = best.name;
  partition.ranks = parts_;
  partition.rows = spread_of(quality.rows);
  partition.nonzeros = spread_of(quality.nonzeros);
  partition.imbalance = quality.imbalance();
  partition.edge_cut = quality.edge_cut;
  partition.nodes = nodes_.nodes;
  partition.hierarchical = options_.hierarchical;
  report_.communication =
      CommunicationReport{best.name, parts_, nodes_.node_of, static_cast<int>(entry_bytes()),
                          gather_on_root(comm_, quality.flows)};

  const MatrixInfo& matrix = source_->info;
  std::vector<RankShare> shares(parts_);
  for (int part = 0; part < parts_; ++part) {
    RankShare& share = shares[part];
    share.rows = share.columns = quality.rows[part];
    if (matrix.rows != matrix.columns) {
      share.columns = even_split(matrix.columns, matrix.block, parts_, part + 1) -
                      even_split(matrix.columns, matrix.block, parts_, part);
    }
    share.nonzeros = quality.nonzeros[part];
    const PartTraffic& traffic = best.traffic[part];
    share.ghosts = traffic.received_inside.entries + traffic.received_between.entries;
    share.sent = traffic.sent_inside.entries + traffic.sent_between.entries;
  }
  predict(shares);
}

/// Bytes of the smallest device's memory for each rank that shares it; empty: unknown.
std::optional<std::int64_t> Info::device_capacity() const {
  if (line_.device_memory_gb > 0) return std::llround(line_.device_memory_gb * 1e9);
  if (device_.site.device == Device::cpu) return std::nullopt;
  const std::int64_t bytes = describe_device(current_device()).memory_bytes;
  return -max_over_ranks(comm_, -bytes) / device_.ranks_per_device;
}

void Info::predict(const std::vector<RankShare>& shares) {
  constexpr std::int64_t most_local = std::numeric_limits<LocalIndex>::max();
  const bool text = options_.matrix.ends_with(".mtx") || options_.matrix.ends_with(".mtx.gz");
  MemoryNeed& need = report_.info->need;
  for (const RankShare& share : shares) {
    const MemoryPrediction one =
        predict_memory(share, options_.precision,
                       text ? Reading::text : Reading::binary_or_generated, parts_, base_bytes_);
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
  need.device_capacity_bytes = device_capacity();
  if (need.device_capacity_bytes) {
    need.fits = need.note.empty() && need.device_bytes <= *need.device_capacity_bytes;
  }
}

ExitCode Info::finish() {
  report_.memory.peak_bytes_max_rank = peak_host_bytes(comm_);
  ExitCode code = ExitCode::fine;
  if (report_.status == RunStatus::interrupted) {
    report_.verdict = "interrupted by a signal";
    code = ExitCode::run_time;
  } else if (line_.dry) {
    report_.verdict = fmt::format("outline for {} ranks, nothing was read", parts_);
  } else {
    const auto usable =
        std::count_if(report_.info->partitions.begin(), report_.info->partitions.end(),
                      [](const PartitionJudgement& p) { return bool(p.numbers); });
    report_.verdict =
        fmt::format("{} partition{} for {} ranks", usable, usable == 1 ? "" : "s", parts_);
  }
  write_report();
  return outputs_.finish(report_, code);
}

}  // namespace

ExitCode info(const CommandLine& line, const Job& job) {
  return Info(line, job).execute();
}

}  // namespace rowhalo

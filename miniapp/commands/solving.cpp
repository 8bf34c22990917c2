// SPDX-License-Identifier: BSD-3-Clause
//
// One method with all that it works with (solving.hpp).
#include "miniapp/commands/solving.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rowhalo {

namespace {

VectorMemory vector_memory(Device device, std::size_t entries) {
  return {device, entries * sizeof(double)};
}

/// How iterations may be launched with the chosen transport.
Launch launch_of(const Solving& solving) {
  if (!solving.transport.graph) return Launch::one_by_one;
  const bool repeats =
      solving.options.graph == "on" && find_transport(solving.transport.name).in_line;
  return repeats ? Launch::loop : Launch::graphs;
}

}  // namespace

SolverRun::SolverRun(const Solving& solving, const SolverEntry& entry, PhaseIterations phases)
    : e_(solving.e),
      entry_(entry),
      x_(vector_memory(e_.site.device, solving.system.b.size())),
      b_(vector_memory(e_.site.device, solving.system.b.size())),
      dangling_(vector_memory(e_.site.device, solving.system.dangling.size())),
      op_(solving.kernels.kernels, make_exchanges(e_.parts(), solving.kernels.kernels,
                                                  {find_transport(solving.transport.name), 1,
                                                   x_.data(), e_.machine.stream()})),
      rank_sums_(make_rank_sums(e_.job.comm, e_.site, solving.transport.name)) {
  copy_between(e_.site.device, dangling_.data(), solving.system.dangling.data(),
               solving.system.dangling.size() * sizeof(double));
  const bool preconditioned = solves_system(entry) && solving.preconditioner;
  setting_.emplace(SolverSetting{e_.job.comm,
                                 e_.job.progress,
                                 op_,
                                 op_.make_vector(),
                                 *rank_sums_,
                                 solving.options,
                                 launch_of(solving),
                                 preconditioned ? &*solving.preconditioner : nullptr,
                                 {e_.site.device, e_.machine.stream(), e_.matrix.owned_rows},
                                 e_.matrix.info.rows,
                                 dangling_.at<double>()});
  setting_->options.norm = watched_norm(entry, solving.options);
  setting_->measures_phases = phases == PhaseIterations::follow;
}

SolverOutcome SolverRun::solve(const std::vector<double>& b) {
  set_bytes(e_.site.device, x_.data(), 0, x_.bytes());  // where products have been tried
  copy_between(e_.site.device, b_.data(), b.data(), b.size() * sizeof(double));
  SolverWorkspace workspace(*setting_);
  std::optional<Watching> watching(e_.machine.telemetry.get());
  SolverOutcome outcome = entry_.solve(workspace, b_.at<double>(), x_.at<double>());
  watching.reset();
  if (e_.site.device == Device::gpu) synchronize(e_.machine.stream());  // the last iteration
  op_.check();
  if (!outcome.x.empty() || b.empty()) return outcome;
  outcome.x.resize(b.size());
  copy_between(e_.site.device, outcome.x.data(), x_.data(), b.size() * sizeof(double));
  return outcome;
}

void SolverRun::close() {
  rank_sums_->close();
  op_.close();
}

void describe_norms(const SystemScale& scale, ResidualNorm norm, std::vector<double> norms,
                    SolverReport& report) {
  const int exponent = scale.norm(norm);
  const bool fits = std::all_of(norms.begin(), norms.end(), [&](double value) {
    return !std::isfinite(value) || value == 0 || std::isnormal(std::scalbn(value, exponent));
  });
  report.norms = fits ? scaled(std::move(norms), exponent) : std::move(norms);
  report.norm_exponent = fits ? 0 : exponent;
  report.iterations = static_cast<int>(report.norms.size()) - 1;
  report.first_norm = report.norms.front();
  report.last_norm = report.norms.back();
}

SolverReport report_of(const Solving& solving, const SolverEntry& entry) {
  const SolveOptions& options = solving.options;
  SolverReport report;
  report.method = entry.name;
  report.preconditioner = solves_system(entry) ? options.preconditioner : "none";
  report.norm = entry.watched != nullptr
                    ? entry.watched
                    : norm_names[static_cast<int>(watched_norm(entry, options))];
  report.norm_of_residual = solves_system(entry);
  report.tolerance = options.tolerance;
  report.wanted_iterations = options.iterations;
  report.reproducible = options.reproducible;
  return report;
}

}  // namespace rowhalo

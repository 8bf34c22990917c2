// SPDX-License-Identifier: BSD-3-Clause
//
// A solver at work in `rowhalo solve`: what all methods of one run have in common, and one method
// with its operator, vectors and sums, ready for one right-hand side after the other.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "miniapp/commands/experiment.hpp"
#include "miniapp/commands/system.hpp"
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

/// What all methods of one run have in common.
struct Solving {
  Experiment& e;
  const SolveOptions& options;
  ChosenKernels& kernels;
  const ChosenTransport& transport;
  std::optional<BlockJacobi>& preconditioner;
  const System& system;
  double read_bandwidth = 0;  ///< of all devices, GB/s; 0: not measured
};

/// Whether a few iterations after a solution measure the phases of one (SolverSetting).
enum class PhaseIterations { follow, left_out };

/// Made and closed collectively.
class SolverRun {
 public:
  SolverRun(const Solving& solving, const SolverEntry& entry, PhaseIterations phases);

  /// Collective. From x = 0, for `b` in the scale of the system.
  SolverOutcome solve(const std::vector<double>& b);
  /// Who adds up sums over ranks.
  const char* reduction_by() const { return rank_sums_->name(); }
  void close();

 private:
  const Experiment& e_;
  const SolverEntry& entry_;
  VectorMemory x_, b_, dangling_;
  Operator op_;
  std::unique_ptr<RankSums> rank_sums_;
  std::optional<SolverSetting> setting_;
};

/// The watched norms in the units of the system that was given, where fp64 has room for them.
void describe_norms(const SystemScale& scale, ResidualNorm norm, std::vector<double> norms,
                    SolverReport& report);

/// What is said of a method before it runs.
SolverReport report_of(const Solving& solving, const SolverEntry& entry);

}  // namespace rowhalo

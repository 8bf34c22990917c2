// SPDX-License-Identifier: BSD-3-Clause
//
// Time steps of `solve` (time_steps.hpp).
#include "miniapp/commands/time_steps.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "miniapp/bench/describe.hpp"
#include "miniapp/bench/petsc/library.hpp"
#include "miniapp/commands/diagnosis.hpp"

namespace rowhalo {

namespace {

/// From 9/8 to 2: of successive steps different ones.
double factor_of(int step) {
  constexpr int factors = 8;
  return 1 + (1 + step % factors) / static_cast<double>(factors);
}

std::vector<double> times(double factor, std::vector<double> values) {
  for (double& value : values) value *= factor;
  return values;
}

/// The system whose matrix has been multiplied by `factor`.
System system_of(const System& first, double factor) {
  System system = first;
  if (system.solution) system.solution = times(1 / factor, *std::move(system.solution));
  return system;
}

/// What memory was in use after the first steps.
struct MemoryMark {
  std::int64_t host = 0, free_on_device = 0;
};
MemoryMark mark_memory(const Experiment& e) {
  return {peak_host_bytes(e.job.comm), e.site.device == Device::gpu ? free_device_bytes() : 0};
}

/// Whether the x of a step passed; its iterations and residual go into `report`.
bool check_step(const Solving& solving, const SolverEntry& entry, double factor,
                const SolverOutcome& outcome, TimeStepsReport& report) {
  SolverReport step = report_of(solving, entry);
  const System system = system_of(solving.system, factor);
  describe_norms(system.scale, watched_norm(entry, solving.options), outcome.norms, step);
  diagnose(solving.e, system, {entry, solving.options}, outcome, step);
  report.iterations += step.iterations;
  report.true_residual = std::max(report.true_residual, step.true_residual.value_or(0));
  report.reason = step.reason;
  return step.passed;
}

/// Seconds of step `step`, added to `report`.
SolverOutcome take_step(const Solving& solving, double factor, SolverRun& run,
                        std::vector<double>& values, TimeStepsReport& report) {
  Experiment& e = solving.e;
  const Comm& comm = e.job.comm;
  const std::vector<double>& first = e.given_values;
  report.values_seconds += timed(comm, [&] {
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = factor * first[k];
  });
  const RefillSeconds refill = e.refill(values, solving.kernels.kernels);
  report.moved_seconds += refill.moved;
  report.sums_seconds += refill.sums;
  report.refill_seconds += refill.kernels;
  report.preconditioner_seconds += timed(comm, [&] {
    if (!solving.preconditioner) return;
    refill_preconditioner(comm, e.matrix, *solving.preconditioner, "--preconditioner");
  });
  SolverOutcome outcome;
  report.solve_seconds += timed(comm, [&] { outcome = run.solve(solving.system.b); });
  return outcome;
}

void add_petsc_refill(const Experiment& e, TimeStepsReport& report) {
  e.job.progress.phase("refill with PETSc");
  const PetscRefill petsc = petsc_refill(e.job.comm, e.matrix, e.job.progress);
  if (petsc.unusable.empty()) {
    report.petsc_seconds = petsc.seconds;
  } else if (e.job.comm.rank == 0) {
    std::cerr << "rowhalo: warning: PETSc took no new values: " << petsc.unusable << '\n';
  }
}

}  // namespace

RefillSeconds Experiment::refill(const std::vector<double>& values, LocalKernels& kernels) {
  RefillSeconds seconds;
  seconds.moved = timed(job.comm, [&] {
    if (route.moves()) {
      route.carry(job.comm, values.data(), matrix.values.data());
    } else {
      std::copy(values.begin(), values.end(), matrix.values.begin());
    }
  });
  if (sums) {
    seconds.sums =
        timed(job.comm, [&] { rowhalo::refill(job.comm, matrix, *sums, moved_to_sums_); });
  }
  seconds.kernels = timed(job.comm, [&] {
    block->refill(machine.stream());
    kernels.refill(machine.stream());
    if (sum_kernels) sum_kernels->refill(machine.stream());
    if (site.device == Device::gpu) synchronize(machine.stream());
  });
  return seconds;
}

TimeStepsReport measure_time_steps(const Solving& solving, const SolverEntry& entry) {
  Experiment& e = solving.e;
  constexpr int settled = 3;  // steps after which memory must not grow
  TimeStepsReport report;
  report.method = entry.name;
  report.moves = e.route.moves();
  e.job.progress.phase("time steps");
  SolverRun run(solving, entry, PhaseIterations::left_out);
  std::vector<double> values(e.given_values.size());
  MemoryMark before;
  report.passed = true;
  for (int step = 0; step < e.options.refill && report.passed; ++step) {
    if (stop_requested(e.job.comm, e.job.progress)) {
      report.interrupted = true;
      break;
    }
    const double factor = factor_of(step);
    const SolverOutcome outcome = take_step(solving, factor, run, values, report);
    report.interrupted = outcome.end == SolverEnd::interrupted;
    if (report.interrupted) break;
    report.passed = check_step(solving, entry, factor, outcome, report);
    ++report.steps;
    if (report.steps <= settled) before = mark_memory(e);
  }
  const MemoryMark after = mark_memory(e);
  run.close();
  report.grown_host_bytes = after.host - before.host;
  report.grown_device_bytes =
      max_over_ranks(e.job.comm, before.free_on_device - after.free_on_device);
  e.refill(e.given_values, solving.kernels.kernels);
  if (solving.options.petsc && built_with_petsc() && !report.interrupted) {
    add_petsc_refill(e, report);
  }
  return report;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The experiment of `rowhalo solve`.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "io/report/reasons.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "miniapp/bench/describe.hpp"
#include "miniapp/bench/petsc/library.hpp"
#include "miniapp/check/validation.hpp"
#include "miniapp/commands/diagnosis.hpp"
#include "miniapp/commands/solving.hpp"
#include "miniapp/commands/time_steps.hpp"
#include "miniapp/commands/tuned.hpp"
#include "miniapp/tune/choose.hpp"

namespace rowhalo {

namespace {

/// What of --method is to run: one, or all that solve A x = b.
std::vector<const SolverEntry*> chosen_solvers(const SolveOptions& options) {
  std::vector<const SolverEntry*> chosen;
  if (options.method != "all") return {&find_solver(options.method, "--method")};
  for (const SolverEntry& entry : solvers()) {
    if (solves_system(entry)) chosen.push_back(&entry);
  }
  return chosen;
}

/// Local. What can be known to be wrong before any work is done.
void check_options(const RunOptions& run, const SolveOptions& options) {
  for (const auto& [option, value] : {std::pair("--format", run.format), {"--halo", run.halo}}) {
    if (value == "all") {
      throw InputError(fmt::format("{} all: solve runs one of them; use auto or a name", option));
    }
  }
  find_preconditioner(options.preconditioner, "--preconditioner");
  const std::vector<const SolverEntry*> chosen = chosen_solvers(options);
  const SolverEntry& entry = *chosen.front();
  if (run.refill > 0 && (options.method == "all" || !solves_system(entry))) {
    throw InputError(fmt::format(
        "--refill: takes one method for A x = b, and --method is {}; name cg or bicgstab, or leave "
        "--refill out",
        options.method));
  }
  if (options.method != "all" && watched_norm(entry, options) != options.norm) {
    throw InputError(fmt::format("--norm {}: --method {} has one norm only; leave --norm out",
                                 norm_names[static_cast<int>(options.norm)], entry.name));
  }
}

/// Bytes that one iteration must move on all ranks: products, and what its steps read and write.
std::int64_t iteration_bytes(const Solving& solving, const SolverEntry& entry) {
  const Comm& comm = solving.e.job.comm;
  int passes = entry.vector_passes;
  const int inverse_rows = solving.preconditioner ? solving.preconditioner->block_size() : 0;
  if (inverse_rows != 1) passes -= entry.inverse_passes;
  if (products_sum_dots(solving.kernels.kernels, solving.options)) passes -= entry.dot_passes;
  if (inverse_rows > 1) passes += entry.products * (inverse_rows + 2);  // a pass of its own
  const std::int64_t rows = solving.e.matrix.owned_rows;
  return sum_over_ranks(comm, entry.products * solving.kernels.kernels.work().bytes +
                                  passes * rows * std::int64_t{sizeof(double)});
}

void describe_times(const Solving& solving, const SolverEntry& entry, const RunReport& run,
                    const SolverOutcome& outcome, SolverReport& report) {
  const Comm& comm = solving.e.job.comm;
  report.solve_seconds = max_over_ranks(comm, outcome.solve_seconds);
  report.bytes = iteration_bytes(solving, entry);
  if (report.iterations == 0) return;
  report.iteration_seconds = max_over_ranks(comm, median(outcome.seconds));
  const SolverPhases& phases = outcome.phases;
  const auto received = std::ssize(solving.e.plan.receives);
  const bool exchanges = max_over_ranks(comm, std::int64_t{received}) > 0;
  report.phases = {
      max_over_ranks(comm, phases.product),
      exchanges ? max_over_ranks(comm, std::max(0.0, phases.product - phases.local_product)) : 0,
      max_over_ranks(comm, phases.vectors), max_over_ranks(comm, phases.reductions)};
  if (solving.read_bandwidth > 0 && *report.iteration_seconds > 0) {
    report.floor_seconds = static_cast<double>(report.bytes) * 1e-9 / solving.read_bandwidth;
    report.floor_share = *report.floor_seconds / *report.iteration_seconds;
  }
  const double flops = 2.0 * entry.products * static_cast<double>(run.matrix.nonzeros) +
                       entry.flops_per_row * static_cast<double>(run.matrix.info.rows);
  report.gflops = *report.iteration_seconds > 0 ? 1e-9 * flops / *report.iteration_seconds : 0;
}

/// Solves by one method, and checks what came out. `x`: the solution of the system that was given.
SolverReport measure_solver(const Solving& solving, const SolverEntry& entry, const RunReport& run,
                            std::vector<double>& x) {
  const Experiment& e = solving.e;
  const System& system = solving.system;
  const SolveOptions& options = solving.options;
  SolverReport report = report_of(solving, entry);
  const ResidualNorm norm = watched_norm(entry, options);
  e.job.progress.phase("solve");
  SolverRun solver(solving, entry, PhaseIterations::follow);
  const SolverOutcome outcome = solver.solve(system.b);
  report.execution = name_of(outcome.launch);
  report.reduction_by = solver.reduction_by();
  solver.close();
  if (outcome.end == SolverEnd::interrupted) report.outcome = Outcome::interrupted;
  const bool power = entry.kind == SolverKind::power;
  describe_norms(power ? SystemScale{0, system.scale.matrix} : system.scale, norm, outcome.norms,
                 report);
  describe_times(solving, entry, run, outcome, report);
  x = solves_system(entry) ? scaled(outcome.x, system.scale.solution()) : outcome.x;
  report.x_hash = hash_vector(e.job.comm, e.matrix, Precision::fp64, x.data());
  if (power) report.eigenvalue = std::scalbn(outcome.eigenvalue, system.scale.matrix);

  e.job.progress.phase("check the solution");
  diagnose(e, system, {entry, options}, outcome, report);
  return report;
}

/// PETSc's solvers beside ours, all from one matrix.
void add_petsc(const Solving& solving, RunReport& report) {
  const Experiment& e = solving.e;
  std::vector<std::string> names;
  std::vector<SolverReport*> ours;  // beside which they run
  for (SolverReport& solver : report.solvers) {
    const char* name = find_solver(solver.method).petsc;
    if (name == nullptr || solver.norms.empty()) continue;
    names.emplace_back(name);
    ours.push_back(&solver);
  }
  if (!solving.options.petsc || names.empty()) return;
  e.job.progress.phase("solve with PETSc");
  const PetscSolvers petsc =
      petsc_solve({e.job.comm, e.matrix, solving.system.b, solving.options}, names, e.job.progress);
  if (!petsc.unusable.empty() && e.job.comm.rank == 0) {
    std::cerr << "rowhalo: warning: PETSc's solvers were not run: " << petsc.unusable << '\n';
  }
  for (std::size_t k = 0; k < petsc.reports.size(); ++k) {
    ours[k]->petsc.push_back(petsc.reports[k]);
  }
}

std::string history_text(const RunReport& report) {
  std::string text = "method,iteration,norm,relative\n";
  for (const SolverReport& solver : report.solvers) {
    for (std::size_t k = 0; k < solver.norms.size(); ++k) {
      text += fmt::format("{},{},{:.17g},{:.17g}\n", solver.method, k, solver.norms[k],
                          relative(solver.norms[k], solver.first_norm));
    }
  }
  return text;
}

std::string methods_text(const std::vector<SolverReport>& solvers) {
  const auto refused = std::ranges::count(solvers, Outcome::refused, &SolverReport::outcome);
  const auto ended = std::ssize(solvers) - refused;
  return fmt::format("{} method{} came to {} end{}", ended, ended == 1 ? "" : "s",
                     ended == 1 ? "its" : "their",
                     refused > 0 ? fmt::format(", {} refused", refused) : "");
}

/// The why of the RESULT line, and the exit status.
ExitCode conclude(const std::vector<const SolverEntry*>& entries, RunReport& report) {
  const auto failed = std::ranges::count(report.solvers, false, &SolverReport::passed);
  if (report.status == RunStatus::interrupted) {
    report.verdict = "interrupted by a signal";
    return ExitCode::run_time;
  }
  if (failed > 0) {
    report.status = RunStatus::failed;
    const SolverReport& first = *std::ranges::find(report.solvers, false, &SolverReport::passed);
    report.verdict = fmt::format("{}: {}{}", first.method, first.reason,
                                 failed > 1 ? fmt::format("; and {} more failed", failed - 1) : "");
    const bool wrong =
        std::ranges::count(report.solvers, SolutionCheck::wrong, &SolverReport::check) > 0;
    return wrong ? ExitCode::validation : ExitCode::run_time;
  }
  if (report.time_steps && !report.time_steps->passed) {
    report.status = RunStatus::failed;
    report.verdict =
        fmt::format("time step {}: {}", report.time_steps->steps, report.time_steps->reason);
    return ExitCode::validation;
  }
  report.verdict = entries.size() == 1
                       ? fmt::format("{}: {} after {} iterations", report.solvers.front().method,
                                     report.solvers.front().end, report.solvers.front().iterations)
                       : methods_text(report.solvers);
  return ExitCode::fine;
}

/// Every chosen method. x of the last one.
std::vector<double> solve_all(Experiment& e, const SolveOptions& options,
                              const std::vector<const SolverEntry*>& entries, System& system,
                              RunReport& report) {
  const Device device = e.site.device;
  const ProductSetting setting = e.products();
  e.job.progress.phase("convert");
  ChosenKernels kernels;
  report.setup.convert_seconds = timed(e.job.comm, [&] {
    kernels =
        choose_kernels(setting, {e.options.format, e.options.boundary_format,
                                 graphs_on(device, options.graph != "off"), options.reproducible});
  });
  e.job.progress.phase("choose transport");
  const ChosenTransport transport = choose_transport(
      setting, e.options.halo, device == Device::gpu && options.graph != "off", kernels);
  report_chosen(e, kernels, transport, report);
  report.memory.peak_bytes_max_rank = peak_host_bytes(e.job.comm);

  e.job.progress.phase("prepare the system");
  make_rhs(e, *entries.front(), system);
  std::optional<BlockJacobi> preconditioner;
  if (solves_system(*entries.front())) {
    preconditioner =
        make_preconditioner(e.job.comm, e.matrix, find_preconditioner(options.preconditioner),
                            device, "--preconditioner");
  }
  const bool needs_symmetry =
      std::ranges::count(entries, SolverKind::symmetric, &SolverEntry::kind) > 0;
  constexpr double rounding = 1e-12;
  if (needs_symmetry) e.job.progress.phase("check the symmetry");
  const double measured = needs_symmetry ? asymmetry(e) : 0;
  if (device == Device::gpu) e.job.progress.phase("measure bandwidth");
  const double read_bandwidth = device == Device::gpu ? measured_read_bandwidth(e) : 0;
  const Solving solving{e, options, kernels, transport, preconditioner, system, read_bandwidth};
  std::vector<double> x(e.matrix.owned_rows, 0.0);
  for (const SolverEntry* entry : entries) {
    if (entry->kind == SolverKind::symmetric && measured > rounding) {
      const std::string reason = fmt::format(
          "the matrix is not symmetric: x.Ay and y.Ax differ by {:.3g} of their size", measured);
      if (entries.size() == 1) {
        throw AgreedError(ExitCode::run_time,
                          fmt::format("--method {}: {}; use bicgstab", entry->name, reason));
      }
      SolverReport refused;
      refused.method = entry->name;
      refused.passed = true;
      refused.outcome = Outcome::refused;
      refused.wanted_iterations = options.iterations;
      refused.end = name_of(Outcome::refused);
      refused.reason = reason;
      report.solvers.push_back(refused);
      continue;
    }
    report.solvers.push_back(measure_solver(solving, *entry, report, x));
    if (report.solvers.back().outcome == Outcome::interrupted) {
      report.status = RunStatus::interrupted;
      return x;
    }
  }
  report_telemetry(e, 0, 0, report);
  if (e.options.refill > 0 && report.solvers.back().passed) {
    report.time_steps = measure_time_steps(solving, *entries.front());
    if (report.time_steps->interrupted) report.status = RunStatus::interrupted;
  }
  if (report.status != RunStatus::interrupted) add_petsc(solving, report);
  return x;
}

/// What a tuning file has chosen, as far as solvers have it.
RunOptions with_choice_for_solvers(const RunOptions& given,
                                   const std::optional<TuningFile>& tuning) {
  RunOptions options = with_choice(given, tuning);
  if (order_of(options.schedule) == Order::split) options.schedule = given.schedule;
  options.partial_sums = given.partial_sums;
  return options;
}

}  // namespace

ExitCode solve(Session& session) {
  const CommandLine& line = session.line;
  const Job& job = session.job;
  RunReport& report = session.report;
  const Machine machine = begin(session, Purpose::product);
  const std::optional<TuningFile> tuning = tuning_for(line.run, job, machine);
  const RunOptions options = with_choice_for_solvers(line.run, tuning);
  agree(job.comm, [&] { check_options(options, line.solve); });
  if (!options.save_x.empty()) check_target(options.save_x, "--save-x", FileUse::vector, job.comm);
  const std::vector<const SolverEntry*> entries = chosen_solvers(line.solve);
  DistributedCsr source = read_matrix(options, job, report);
  if (source.info.rows != source.info.columns) {
    throw AgreedError(ExitCode::usage,
                      fmt::format("--matrix {}: has {} rows and {} columns; solve needs a square "
                                  "matrix",
                                  options.matrix, source.info.rows, source.info.columns));
  }
  System system;
  Experiment e(options, job, machine, std::move(source), report, [&](LocalMatrix& matrix) {
    if (entries.front()->kind == SolverKind::pagerank) {
      system.dangling = normalize_columns(job.comm, matrix);
    } else {
      system.scale.matrix = scale_values(job.comm, matrix);
    }
  });
  if (e.route.moves()) e.given_values = scaled(std::move(e.given_values), -system.scale.matrix);
  compare_with_tuning(e, tuning, report);
  const std::vector<double> x = solve_all(e, line.solve, entries, system, report);
  e.connections->close();
  return finish(session, conclude(entries, report), {}, [&] {
    session.outputs.write_text("--history", options.history, history_text(report));
    if (options.save_x.empty()) return;
    save_vector(e, "--save-x", options.save_x, Precision::fp64, x.data(), session);
  });
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The experiment of `rowhalo solve` (solve.hpp).
#include "miniapp/commands/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "io/vector_file.hpp"
#include "miniapp/bench/choose.hpp"
#include "miniapp/bench/describe.hpp"
#include "miniapp/bench/petsc/solvers.hpp"
#include "miniapp/check/validation.hpp"
#include "miniapp/commands/experiment.hpp"
#include "miniapp/commands/system.hpp"
#include "miniapp/solve/graph.hpp"
#include "miniapp/solve/methods.hpp"
#include "miniapp/spmv/reading.hpp"
#include "partition/matrix/directory.hpp"

namespace rowhalo {

namespace {

/// `end` of a method that does not fit the matrix.
constexpr const char* refused_end = "refused";

ResidualNorm norm_of(const std::string& name) {
  if (name == "natural") return ResidualNorm::natural;
  if (name == "preconditioned") return ResidualNorm::preconditioned;
  return ResidualNorm::unpreconditioned;
}

/// What of --method is to run: one, or all that solve A x = b.
std::vector<const SolverEntry*> chosen_solvers(const SolveOptions& options) {
  std::vector<const SolverEntry*> chosen;
  if (options.method != "all") return {&find_solver(options.method)};
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
  find_preconditioner(options.preconditioner);
  const std::vector<const SolverEntry*> chosen = chosen_solvers(options);
  const bool other_norm = !options.norm.empty() && options.norm != "unpreconditioned";
  for (const SolverEntry* entry : chosen) {
    if (other_norm && entry->kind != SolverKind::symmetric && options.method != "all") {
      throw InputError(fmt::format("--norm {}: --method {} has one norm only; leave --norm out",
                                   options.norm, entry->name));
    }
  }
}

/// What all methods of one run have in common.
struct Solving {
  const Experiment& e;
  const SolveOptions& options;
  const ChosenKernels& kernels;
  const ChosenTransport& transport;
  const std::optional<BlockJacobi>& preconditioner;
  const std::vector<double>& dangling;
  double read_bandwidth = 0;  ///< of all devices, GB/s; 0: not measured
};

VectorMemory copy_to(Device device, const std::vector<double>& values) {
  VectorMemory memory(device, values.size() * sizeof(double));
  copy_between(device, memory.data(), values.data(), values.size() * sizeof(double));
  return memory;
}

/// How iterations may be launched with the chosen transport.
Launch launch_of(const Solving& solving) {
  if (!solving.transport.graph) return Launch::one_by_one;
  const bool repeats =
      solving.options.graph == "on" && find_transport(solving.transport.name).in_line;
  return repeats ? Launch::loop : Launch::graphs;
}

SolverOutcome run_solver(const Solving& solving, const SolverEntry& entry, const System& system,
                         SolverReport& report) {
  const Experiment& e = solving.e;
  const Comm& comm = e.job.comm;
  const ComputeSite& site = e.problem.site;
  TransportContext context{e.problem.plan, sizeof(double), entry.halo_vectors, comm, site};
  context.connections = e.connections;
  const VectorMemory x(site.device, system.b.size() * sizeof(double));
  context.reading_seconds =
      reading_seconds(context, solving.kernels.kernels, x.data(), e.machine.stream());
  const std::unique_ptr<HaloExchange> halo = find_transport(solving.transport.name).make(context);
  set_bytes(site.device, x.data(), 0, x.bytes());  // where products have been tried
  const std::unique_ptr<RankSums> rank_sums = make_rank_sums(comm, site, solving.transport.name);
  const bool preconditioned = solves_system(entry) && solving.preconditioner;
  const bool blocks = preconditioned && solving.preconditioner->size() > 1;
  const VectorMemory b = copy_to(site.device, system.b);
  const VectorMemory dangling = copy_to(site.device, solving.dangling);
  const SolveOptions& options = solving.options;
  SolverSetting setting{
      comm,
      e.job.watchdog,
      e.job.progress,
      solving.kernels.kernels,
      *halo,
      *rank_sums,
      launch_of(solving),
      {preconditioned && !blocks ? solving.preconditioner->inverses() : nullptr},
      blocks ? &*solving.preconditioner : nullptr,
      {site.device, e.machine.stream(), e.problem.matrix.owned_rows,
       options.reproducible ? Summation::reproducible : Summation::fast},
      e.problem.matrix.info.rows,
      entry.kind == SolverKind::symmetric ? norm_of(options.norm) : ResidualNorm::unpreconditioned,
      {options.tolerance, options.max_iterations, options.iterations},
      options.damping,
      reinterpret_cast<const double*>(dangling.data())};
  SolverWorkspace workspace(setting);
  std::optional<Watching> watching(e.machine.telemetry.get());
  SolverOutcome outcome = entry.solve(workspace, reinterpret_cast<const double*>(b.data()),
                                      reinterpret_cast<double*>(x.data()));
  watching.reset();
  report.execution = name_of(outcome.launch);
  report.reduction_by = rank_sums->name();
  halo->check();
  rank_sums->close();
  halo->close();
  return outcome;
}

/// Bytes that one iteration must move on all ranks: products, and what its steps read and write.
std::int64_t iteration_bytes(const Solving& solving, const SolverEntry& entry) {
  const Comm& comm = solving.e.job.comm;
  const int products = entry.kind == SolverKind::general ? 2 : 1;
  int passes = entry.vector_passes;
  const int inverse_rows = solving.preconditioner ? solving.preconditioner->size() : 0;
  if (inverse_rows != 1) passes -= entry.inverse_passes;
  const Summation summation =
      solving.options.reproducible ? Summation::reproducible : Summation::fast;
  if (products_sum_dots(solving.kernels.kernels, summation)) passes -= entry.dot_passes;
  if (inverse_rows > 1) passes += products * (inverse_rows + 2);  // a pass of its own
  const std::int64_t rows = solving.e.problem.matrix.owned_rows;
  return sum_over_ranks(comm, products * solving.kernels.kernels.work().bytes +
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
  const auto received = std::ssize(solving.e.problem.plan.receives);
  const bool exchanges = max_over_ranks(comm, std::int64_t{received}) > 0;
  report.phases = {
      max_over_ranks(comm, phases.product),
      exchanges ? max_over_ranks(comm, std::max(0.0, phases.product - phases.local_product)) : 0,
      max_over_ranks(comm, phases.vectors), max_over_ranks(comm, phases.reductions)};
  if (solving.read_bandwidth > 0 && *report.iteration_seconds > 0) {
    report.floor_seconds = static_cast<double>(report.bytes) * 1e-9 / solving.read_bandwidth;
    report.floor_share = *report.floor_seconds / *report.iteration_seconds;
  }
  const int products = entry.kind == SolverKind::general ? 2 : 1;
  const double flops = 2.0 * products * static_cast<double>(run.matrix.nonzeros) +
                       entry.flops_per_row * static_cast<double>(run.matrix.info.rows);
  report.gflops = *report.iteration_seconds > 0 ? 1e-9 * flops / *report.iteration_seconds : 0;
}

/// What is watched and what the reference finds differ by rounding errors, and by how much one more
/// step changes; far beyond that the products are wrong.
constexpr double most_drift = 100;

/// Of power and pagerank: whether x stays what it is under the reference product.
void check_fixed_point(const Solving& solving, const SolverEntry& entry,
                       const std::vector<double>& x, SolverReport& report) {
  constexpr double rounding = 1e-13;
  const bool power = entry.kind == SolverKind::power;
  const double found =
      power ? eigenpair_residual(solving.e, x, *report.eigenvalue)
            : pagerank_residual(solving.e, x, solving.dangling, solving.options.damping);
  const double size = power ? std::fabs(*report.eigenvalue) : 1;
  if (found <= most_drift * std::max(report.last_norm, rounding * size)) return;
  report.passed = false;
  report.reason = fmt::format("{} fell to {:.3g}, but by the reference product it is {:.3g}",
                              report.norm, report.last_norm, found);
}

/// Solves by one method, and checks what came out.
SolverReport measure_solver(const Solving& solving, const SolverEntry& entry, const System& system,
                            const RunReport& run, std::vector<double>& x) {
  const Experiment& e = solving.e;
  const Comm& comm = e.job.comm;
  const LocalMatrix& matrix = e.problem.matrix;
  SolverReport report;
  report.method = entry.name;
  const bool is_system = solves_system(entry);
  report.preconditioner = is_system ? solving.options.preconditioner : "none";
  report.norm = entry.kind == SolverKind::power      ? "|A x - lambda x|"
                : entry.kind == SolverKind::pagerank ? "change of x in the 1-norm"
                : entry.kind == SolverKind::symmetric && !solving.options.norm.empty()
                    ? solving.options.norm
                    : "unpreconditioned";
  report.tolerance = solving.options.tolerance;
  report.reproducible = solving.options.reproducible;
  e.job.progress.phase("solve");
  SolverOutcome outcome = run_solver(solving, entry, system, report);
  x = std::move(outcome.x);
  report.end = name_of(outcome.end);
  report.passed = is_success(outcome.end);
  report.iterations = static_cast<int>(outcome.norms.size()) - 1;
  report.norms = outcome.norms;
  report.first_norm = outcome.norms.front();
  report.last_norm = outcome.norms.back();
  describe_times(solving, entry, run, outcome, report);
  report.x_hash = hash_vector(comm, matrix, Precision::fp64, x.data());
  if (entry.kind == SolverKind::power) report.eigenvalue = outcome.eigenvalue;

  e.job.progress.phase("check the solution");
  if (!is_system) {
    if (outcome.end == SolverEnd::converged) check_fixed_point(solving, entry, x, report);
    return report;
  }
  report.true_residual = true_residual(e, system, x);
  if (system.solution) report.error = relative_difference(comm, x, *system.solution);
  // The recurrence drifts from b - A x by rounding errors; far beyond them it is wrong.
  const bool watched = solving.options.norm.empty() || solving.options.norm == "unpreconditioned";
  if (outcome.end == SolverEnd::converged && watched &&
      !(*report.true_residual <= most_drift * std::max(report.tolerance, 1e-15))) {
    report.passed = false;
    report.reason = fmt::format(
        "the watched norm fell to {:.3g} of the first one, but |b - A x| is "
        "{:.3g} |b|",
        relative(report.last_norm, report.first_norm), *report.true_residual);
  }
  return report;
}

/// PETSc's solvers beside ours, all from one matrix.
void add_petsc(const Solving& solving, const System& system, RunReport& report) {
  const Experiment& e = solving.e;
  std::vector<std::string> names;
  for (const SolverReport& solver : report.solvers) {
    const char* name = find_solver(solver.method).petsc;
    if (name != nullptr && !solver.norms.empty()) names.emplace_back(name);
  }
  if (!solving.options.petsc || names.empty()) return;
  e.job.progress.phase("solve with PETSc");
  const PetscSolvers petsc = petsc_solve(
      {e.job.comm,
       e.problem.matrix,
       system.b,
       solving.options.preconditioner,
       norm_of(solving.options.norm),
       {solving.options.tolerance, solving.options.max_iterations, solving.options.iterations}},
      names, e.job.progress);
  if (!petsc.unusable.empty() && e.job.comm.rank == 0) {
    std::cerr << "rowhalo: warning: PETSc's solvers were not run: " << petsc.unusable << '\n';
  }
  for (SolverReport& solver : report.solvers) {
    const char* name = find_solver(solver.method).petsc;
    for (const PetscSolverReport& one : petsc.reports) {
      if (name != nullptr && one.name == name) solver.petsc.push_back(one);
    }
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

/// How a solver failed, and what to do where that is known.
std::string failure_of(const SolverReport& solver) {
  if (!solver.reason.empty()) return solver.reason;
  if (solver.end == name_of(SolverEnd::max_iterations)) {
    return fmt::format("{} after {} iterations, at {:.3g} of the first norm", solver.end,
                       solver.iterations, relative(solver.last_norm, solver.first_norm));
  }
  const bool indefinite = solver.end == name_of(SolverEnd::indefinite_matrix);
  return solver.end + (indefinite ? "; use --method bicgstab" : "");
}

std::string methods_text(const std::vector<SolverReport>& solvers) {
  const auto refused = std::ranges::count(solvers, refused_end, &SolverReport::end);
  const auto ended = std::ssize(solvers) - refused;
  return fmt::format("{} method{} came to {} end{}", ended, ended == 1 ? "" : "s",
                     ended == 1 ? "its" : "their",
                     refused > 0 ? fmt::format(", {} refused", refused) : "");
}

/// The why of the RESULT line, and the exit status.
ExitCode conclude(const std::vector<const SolverEntry*>& entries, RunReport& report) {
  const auto failed = std::count_if(report.solvers.begin(), report.solvers.end(),
                                    [](const SolverReport& solver) { return !solver.passed; });
  if (report.status == RunStatus::interrupted) {
    report.verdict = "interrupted by a signal";
    return ExitCode::run_time;
  }
  if (failed > 0) {
    report.status = RunStatus::failed;
    const SolverReport& first =
        *std::find_if(report.solvers.begin(), report.solvers.end(),
                      [](const SolverReport& solver) { return !solver.passed; });
    report.verdict = fmt::format("{}: {}{}", first.method, failure_of(first),
                                 failed > 1 ? fmt::format(", and {} more", failed - 1) : "");
    return ExitCode::run_time;
  }
  report.verdict = entries.size() == 1
                       ? fmt::format("{}: {} after {} iterations", report.solvers.front().method,
                                     report.solvers.front().end, report.solvers.front().iterations)
                       : methods_text(report.solvers);
  return ExitCode::fine;
}

/// Every chosen method. x of the last one.
std::vector<double> solve_all(const Experiment& e, const SolveOptions& options,
                              const std::vector<const SolverEntry*>& entries,
                              const std::vector<double>& dangling, RunReport& report) {
  const Device device = e.problem.site.device;
  DeviceClock clock(device, e.machine.stream());
  const Measuring measuring{e.job.comm, clock, e.job.progress, e.job.watchdog};
  const ProductSetting setting = e.products(measuring);
  e.job.progress.phase("convert");
  ChosenKernels kernels;
  report.setup.convert_seconds = timed(e.job.comm, [&] {
    kernels = choose_kernels(setting, {e.options.format, e.options.boundary_format,
                                       graphs_on(device, options.graph != "off")});
  });
  e.job.progress.phase("choose transport");
  const ChosenTransport transport = choose_transport(
      setting, e.options.halo, device == Device::gpu && options.graph != "off", kernels.kernels);
  report_chosen(e, kernels, transport, report);
  report.memory.peak_bytes_max_rank = peak_host_bytes(e.job.comm);

  e.job.progress.phase("prepare the system");
  const System system = make_system(e, *entries.front());
  std::optional<BlockJacobi> preconditioner;
  if (solves_system(*entries.front())) {
    preconditioner = make_preconditioner(e.job.comm, e.problem.matrix,
                                         find_preconditioner(options.preconditioner), device);
  }
  const bool needs_symmetry = std::any_of(entries.begin(), entries.end(), [](const auto* entry) {
    return entry->kind == SolverKind::symmetric;
  });
  constexpr double rounding = 1e-12;
  if (needs_symmetry) e.job.progress.phase("check the symmetry");
  const double measured = needs_symmetry ? asymmetry(e) : 0;
  if (device == Device::gpu) e.job.progress.phase("measure bandwidth");
  const double read_bandwidth = device == Device::gpu ? measured_read_bandwidth(e) : 0;
  const Solving solving{e, options, kernels, transport, preconditioner, dangling, read_bandwidth};
  std::vector<double> x(e.problem.matrix.owned_rows, 0.0);
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
      refused.end = refused_end;
      refused.reason = reason;
      report.solvers.push_back(refused);
      continue;
    }
    report.solvers.push_back(measure_solver(solving, *entry, system, report, x));
    if (report.solvers.back().end == name_of(SolverEnd::interrupted)) {
      report.status = RunStatus::interrupted;
      return x;
    }
  }
  report_telemetry(e, 0, 0, report);
  add_petsc(solving, system, report);
  return x;
}

}  // namespace

ExitCode solve(const CommandLine& line, const Job& job) {
  const RunOptions& options = line.run;
  RunReport report = report_of("solve", line);
  Outputs outputs(options, job.comm);
  const Machine machine = begin(options, job, Purpose::product, outputs, report);
  agree(job.comm, [&] { check_options(options, line.solve); });
  if (!options.save_x.empty()) check_vector_target(options.save_x, "--save-x", job.comm);
  const std::vector<const SolverEntry*> entries = chosen_solvers(line.solve);
  DistributedCsr source = read_matrix(options, job, report);
  if (source.info.rows != source.info.columns) {
    throw AgreedError(ExitCode::usage,
                      fmt::format("--matrix {}: has {} rows and {} columns; solve needs a square "
                                  "matrix",
                                  options.matrix, source.info.rows, source.info.columns));
  }
  Problem problem = distribute(options, job, machine, std::move(source), report);
  std::vector<double> dangling;
  if (entries.front()->kind == SolverKind::pagerank) {
    dangling = normalize_columns(job.comm, problem.matrix);
  }
  const Operands operands = prepare(options, job, problem, report);
  Connections connections;
  const Experiment experiment{options, job, machine, problem, operands, &connections};
  const std::vector<double> x = solve_all(experiment, line.solve, entries, dangling, report);
  connections.close();
  const ExitCode code = conclude(entries, report);
  return finish(job, outputs, report, code, {}, [&] {
    outputs.write_text("--history", options.history, history_text(report));
    if (options.save_x.empty()) return;
    const std::vector<double> share =
        scatter<double>(job.comm, problem.matrix.info.rows, problem.matrix.source_rows, x);
    outputs.attempt("--save-x", [&] {
      write_vector(options.save_x, share, Precision::fp64, job.comm, job.progress);
    });
  });
}

}  // namespace rowhalo

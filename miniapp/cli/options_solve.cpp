// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `solve`.
#include <memory>

#include "io/vector_file.hpp"
#include "miniapp/bench/petsc/library.hpp"
#include "miniapp/cli/options.hpp"
#include "miniapp/cli/options/words.hpp"
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

namespace {

constexpr int most_iterations = 10'000'000;  // their norms are kept

/// "\n  name: summary" per entry.
template <class Table>
std::string summaries(const Table& table) {
  std::string text;
  for (const auto& entry : table) text += fmt::format("\n  {}: {}", entry.name, entry.summary);
  return text;
}

void add_solver_options(App& app, SolveOptions& solve) {
  const char* group = "Solver";
  CLI::Option* method = app.add_option(
      "--method", solve.method,
      with_default("all (those for A x = b) | NAME", solve.method) + summaries(solvers()));
  app.takes(method->type_name("NAME")->group(group), {names_in(solvers(), {"all"})});
  CLI::Option* preconditioner = app.add_option(
      "--preconditioner", solve.preconditioner,
      with_default("M of A x = b: NAME", solve.preconditioner) + summaries(preconditioners()));
  app.takes(preconditioner->type_name("NAME")->group(group), {names_in(preconditioners())});
  add_choice<std::string>(app, "--norm", solve.norm,
                          {{"natural", "natural"},
                           {"unpreconditioned", "unpreconditioned"},
                           {"preconditioned", "preconditioned"}},
                          "of the residual r that is watched, z = M^-1 r: unpreconditioned |r| | "
                          "preconditioned |z| | natural sqrt(r.z) (default: unpreconditioned; the "
                          "others with cg)")
      ->group(group);
  app.add_option("--tolerance", solve.tolerance,
                 with_default("stop when the norm is this small, relative to the first one (power: "
                              "to |lambda|)",
                              solve.tolerance))
      ->type_name("T")
      ->check(number_from(0.0, 1.0))
      ->group(group);
  app.add_option("--max-iterations", solve.max_iterations,
                 with_default("give up after so many", solve.max_iterations))
      ->type_name("N")
      ->check(number_from(1, most_iterations))
      ->group(group);
  app.add_option("--iterations", solve.iterations,
                 "run exactly N iterations, whatever the norm: for benchmarks")
      ->type_name("N")
      ->check(number_from(1, most_iterations))
      ->group(group);
  app.add_flag("--reproducible", solve.reproducible,
               "sum without rounding: history and x are identical for any number of ranks, "
               "partition and transport if the format has the bits of csr")
      ->group(group);
  add_choice<std::string>(
      app, "--graph", solve.graph, {{"on", "on"}, {"several", "several"}, {"off", "off"}},
      "iterations on GPUs run from a CUDA graph, where the transport allows it: on (one that "
      "repeats itself on the device, else of several iterations) | several | off (default: on)")
      ->group(group);
  app.add_option("--damping", solve.damping, with_default("of pagerank", solve.damping))
      ->type_name("D")
      ->check(number_from(0.0, 1.0))
      ->group(group);
}

void add_system_options(App& app, RunOptions& options) {
  const char* group = "Solver";
  options.rhs = manufactured_rhs;
  CLI::Option* rhs = app.add_option(
      "--rhs", options.rhs,
      with_default("b: manufactured (A times the vector of --x, so that the error of x "
                   "is known) | ones | FILE",
                   options.rhs));
  OptionValues right_sides = vector_values();
  right_sides.words.insert(right_sides.words.begin(), manufactured_rhs);
  app.takes(rhs->type_name("SPEC")->group(group), right_sides);
  CLI::Option* x =
      app.add_option("--x", options.x,
                     with_default("the solution of a manufactured b; what power begins "
                                  "with: random:seed=N | ones | index | log | FILE",
                                  options.x));
  app.takes(x->type_name("SPEC")->group(group), vector_values());
}

void add_solve_checks(App& app, SolveOptions& solve) {
  solve.petsc = built_with_petsc();
  app.add_flag_callback(
         "--no-petsc", [&solve] { solve.petsc = false; }, "do not run PETSc's solvers beside ours")
      ->group("Measuring and checking");
}

void add_solve_outputs(App& app, RunOptions& options) {
  std::string written = "write x of the (last) method in the order of the source:";
  for (const VectorKind& kind : vector_kinds()) {
    if (kind.write != nullptr) written += std::string(" ") + kind.usage;
  }
  app.add_option("--save-x", options.save_x, written)
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
  app.add_option("--history", options.history,
                 "write the watched norms as CSV, a line per method and iteration; '-' is stdout")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
}

}  // namespace

void add_solve_command(App& app, CommandLine& line) {
  App* command = &app.add_command(
      "solve", "solves A x = b, or finds an eigenvalue or the PageRank, on the same operator");
  const auto options = std::make_shared<RunOptions>();
  const auto solve = std::make_shared<SolveOptions>();
  command->footer("\nExample: mpirun -n 4 rowhalo solve --matrix stencil27:96 --method cg");
  add_matrix_option(*command, *options);
  add_block_option(*command, *options);
  add_shuffle_option(*command, *options);
  add_solver_options(*command, *solve);
  add_system_options(*command, *options);
  add_format_options(*command, *options, {"auto"});
  add_device_option(*command, *options);
  add_partition_options(*command, *options, {"auto"});
  add_reorder_option(*command, *options);
  add_halo_option(*command, *options, {"auto"});
  add_choice<Schedule>(*command, "--schedule", options->schedule,
                       {{"overlap", Schedule::overlap}, {"blocking", Schedule::blocking}},
                       "order of a product: overlap | blocking (default: overlap)")
      ->group("Distribution");
  add_tuning_option(*command, *options);
  add_solve_checks(*command, *solve);
  add_threads_option(*command, *options);
  add_telemetry_option(*command, *options);
  add_timeout_option(*command, *options);
  add_solve_outputs(*command, *options);
  add_json_option(*command, *options);
  add_csv_option(*command, *options);
  add_hdf5_option(*command, *options);
  add_terminal_options(*command, *options);
  add_explain_option(*command, *options);
  command->callback([&line, options, solve] {
    line.command = Command::solve;
    line.run = *options;
    line.solve = *solve;
  });
}

}  // namespace rowhalo

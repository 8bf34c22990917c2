// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `solve`.
#include "miniapp/bench/petsc/library.hpp"
#include "miniapp/cli/options/add.hpp"
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

namespace {

constexpr int most_solver_iterations = 10'000'000;  // their norms are kept

/// "\n  name: summary" per entry.
std::string summaries(const auto& table) {
  std::string text;
  for (const auto& entry : table) text += fmt::format("\n  {}: {}", entry.name, entry.summary);
  return text;
}

void add_solver_options(App& app, SolveOptions& solve) {
  app.under("Solver");
  add_named(app, "--method", solve.method, "NAME", {names_in(solvers(), {"all"})},
            with_default("all (those for A x = b) | NAME", solve.method) + summaries(solvers()));
  add_named(
      app, "--preconditioner", solve.preconditioner, "NAME", {names_in(preconditioners())},
      with_default("M of A x = b: NAME", solve.preconditioner) + summaries(preconditioners()));
  add_choice<ResidualNorm>(app, "--norm", solve.norm,
                           {{norm_names[0], ResidualNorm::natural},
                            {norm_names[1], ResidualNorm::unpreconditioned},
                            {norm_names[2], ResidualNorm::preconditioned}},
                           "of the residual r that is watched, z = M^-1 r: unpreconditioned |r| | "
                           "preconditioned |z| | natural sqrt(r.z) (default: unpreconditioned; the "
                           "others with cg)");
  add_number(app, "--tolerance", solve.tolerance, "T", 0, 1,
             with_default("stop when the norm is this small, relative to the first one (power: "
                          "to |lambda|)",
                          solve.tolerance));
  add_number(app, "--max-iterations", solve.max_iterations, "N", 1, most_solver_iterations,
             with_default("give up after so many", solve.max_iterations));
  add_number(app, "--iterations", solve.iterations, "N", 1, most_solver_iterations,
             "run exactly N iterations, whatever the norm: for benchmarks");
  app.add_flag("--reproducible", solve.reproducible,
               "sum without rounding: history and x are identical for any number of ranks, "
               "partition and transport if the format has the bits of csr");
  add_word(
      app, "--graph", solve.graph, {"on", "several", "off"},
      "iterations on GPUs run from a CUDA graph, where the transport allows it: on (one that "
      "repeats itself on the device, else of several iterations) | several | off (default: on)");
  add_number(app, "--damping", solve.damping, "D", 0, 1,
             with_default("of pagerank", solve.damping));
}

constexpr int most_time_steps = 1'000'000;

void add_system_options(App& app, RunOptions& options) {
  app.under("Solver");
  options.rhs = manufactured_rhs;
  OptionValues right_sides = vector_values();
  right_sides.words.insert(right_sides.words.begin(), manufactured_rhs);
  add_named(app, "--rhs", options.rhs, "SPEC", right_sides,
            with_default("b: manufactured (A times the vector of --x, so that the error of x "
                         "is known) | ones | FILE",
                         options.rhs));
  add_named(app, "--x", options.x, "SPEC", vector_values(),
            with_default("the solution of a manufactured b; what power begins "
                         "with: random:seed=N | ones | index | log | FILE",
                         options.x));
  add_number(app, "--refill", options.refill, "N", 1, most_time_steps,
             "after the solution N time steps with one method: new values for the same pattern, "
             "their preconditioner, another solution; values are stored in full");
}

void add_solve_outputs(App& app, RunOptions& options) {
  app.under(output_group);
  add_file(app, "--save-x", options.save_x,
           "write x of the (last) method in the order of the source:" + written_vectors());
  add_file(app, "--history", options.history,
           "write the watched norms as CSV, a line per method and iteration; '-' is stdout");
}

}  // namespace

void add_solve_command(App& app, CommandLine& line) {
  const auto& [command, options] =
      add_command(app, line, Command::solve, "solve",
                  "solves A x = b, or finds an eigenvalue or the PageRank, on the same operator",
                  "mpirun -n 4 rowhalo solve --matrix stencil27:96 --method cg");
  SolveOptions& solve = line.solve;
  solve.petsc = built_with_petsc();
  add_matrix_options(command, options);
  add_solver_options(command, solve);
  add_system_options(command, options);
  add_format_options(command, options, {"auto"});
  add_device_option(command, options);
  add_partition_options(command, options, {"auto"});
  add_reorder_option(command, options);
  add_halo_option(command, options, {"auto"});
  add_choice<Schedule>(command, "--schedule", options.schedule,
                       {{"overlap", Schedule::overlap}, {"blocking", Schedule::blocking}},
                       "order of a product: overlap | blocking (default: overlap)");
  add_tuning_option(command, options);
  command.under(measuring_group);
  command.add_flag_callback(
      "--no-petsc", [&solve] { solve.petsc = false; }, "do not run PETSc's solvers beside ours");
  add_threads_option(command, options);
  add_telemetry_option(command, options);
  add_timeout_option(command, options);
  add_solve_outputs(command, options);
  add_report_options(command, options);
  add_terminal_options(command, options);
  add_explain_option(command, options);
}

}  // namespace rowhalo

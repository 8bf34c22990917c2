// SPDX-License-Identifier: BSD-3-Clause
//
// The command line as plain data. Parsing does no MPI and knows nothing of ranks: every rank reads
// the same words and comes to the same result or the same error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "miniapp/cli/options/check.hpp"
#include "miniapp/cli/options/exchange.hpp"
#include "miniapp/cli/options/kernel.hpp"
#include "miniapp/cli/options/matrix.hpp"
#include "miniapp/cli/options/measure.hpp"
#include "miniapp/cli/options/output.hpp"
#include "miniapp/cli/options/partition.hpp"
#include "miniapp/cli/options/tuning.hpp"
#include "miniapp/solve/solver_options.hpp"

namespace rowhalo {

/// Options of the commands that take a matrix, a struct and a file per concern (cli/options), with
/// the defaults of the contract.
struct RunOptions : MatrixOptions,
                    PartitionOptions,
                    KernelOptions,
                    ExchangeOptions,
                    TuningOptions,
                    MeasureOptions,
                    CheckOptions,
                    OutputOptions {};

/// What only `info` has.
struct InfoOptions {
  int ranks = 0;  ///< to plan for; 0: those that run
  bool dry = false;
  double device_memory_gb = 0;  ///< 0: that of the GPU, if there is one
};

/// What only `solve` has; names as in its tables.
struct SolveOptions : SolverOptions {
  std::string graph = "on";  ///< on: one that repeats itself if possible | several: of several
                             ///< iterations | off
  bool petsc = false;        ///< PETSc's solvers beside ours
};

/// The right-hand side that belongs to the solution of --x.
inline constexpr const char* manufactured_rhs = "manufactured";

enum class ListForm { table, json, markdown };

struct ListOptions {
  std::string axis;  ///< of tables(); empty: all of them
  ListForm form = ListForm::table;
};

enum class Command { help, version, list, run, kernels, solve, convert, info, network };

struct CommandLine {
  Command command = Command::help;
  RunOptions run;
  InfoOptions info;
  SolveOptions solve;
  ListOptions list;
  std::vector<std::string> argv;
  bool json_version = false;         ///< --version --json
  std::string help;                  ///< text of --help, --man or --completion
  std::optional<std::string> error;  ///< a usage error; nothing else counts then

  /// Needs neither MPI nor a launcher.
  bool informational() const {
    return !error &&
           (command == Command::help || command == Command::version || command == Command::list);
  }
};

CommandLine parse_command_line(int argc, char** argv);

struct CommandOptions {
  App& app;
  RunOptions& options;
};
/// A command of `program`, with `example` in its help (null: that of the program). A command keeps
/// its own RunOptions while the line is parsed and hands them over only when it was named, since
/// commands have different defaults.
CommandOptions add_command(App& program, CommandLine& line, Command command, const char* name,
                           const char* description, const char* example);

/// The commands: each has a file options_NAME.cpp with its options.
void add_run_command(App& app, CommandLine& line);
void add_kernels_command(App& app, CommandLine& line);
void add_solve_command(App& app, CommandLine& line);
void add_convert_command(App& app, CommandLine& line);
void add_info_command(App& app, CommandLine& line);
void add_network_command(App& app, CommandLine& line);
void add_list_command(App& app, CommandLine& line);

}  // namespace rowhalo

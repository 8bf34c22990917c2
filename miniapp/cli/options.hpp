// SPDX-License-Identifier: BSD-3-Clause
//
// The command line as plain data. Parsing does no MPI and knows nothing of ranks: every rank reads
// the same words and comes to the same result or the same error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/report/report.hpp"
#include "miniapp/tune/schedule.hpp"

namespace rowhalo {

enum class Color { automatic, always, never };

/// Partial sums instead of entries of x where they are fewer; automatic: where that is predicted to
/// be faster and neither format nor partition is named.
enum class SumsOption { off, on, automatic };

/// Options of the commands that take a matrix, with the defaults of the contract.
struct RunOptions {
  std::string matrix;
  std::string output;  ///< of convert
  bool force = false;  ///< convert: OUT may be there
  int block = 0;       ///< 0: what the source says
  std::string partition = "auto";
  bool hierarchical = false;  ///< nodes first, then the ranks of each
  int ranks_per_node = 0;     ///< emulated; 0: as ranks share memory
  Reorder reorder = Reorder::none;
  std::optional<std::uint64_t> shuffle;
  std::string device = "auto", format = "auto", boundary_format, halo = "auto";
  Schedule schedule = Schedule::overlap;
  bool graph = true;  ///< where transport and schedule allow it
  bool value_codes = true;
  SumsOption partial_sums = SumsOption::off;
  bool reproducible = false;  ///< rows are summed in their stored order, in whatever format
  Precision precision = Precision::fp64;
  double alpha = 1, beta = 0;
  std::string x = "random:seed=1", y = "zeros";
  std::string save_y;
  int iterations = 0, batches = 20, warmup = 10;
  double min_seconds = 1;
  bool measuring_given = false;  ///< by --iterations, --batches, --warmup, --min-seconds
  bool cold = false;             ///< kernels: also with caches flushed
  std::string sweep;             ///< kernels: "threads", or empty
  int threads = 0;               ///< 0: OMP_NUM_THREADS, else the cores of this rank
  bool poison = false;
  double jitter_microseconds = 0;
  Against validate = Against::reference;
  std::string machine;              ///< file of `network` that products are predicted from
  std::string tuning, save_tuning;  ///< files of what was chosen
  std::string json, csv, hdf5, communication, trace;
  std::string rhs = "manufactured", save_x, history;  ///< of solve
  bool telemetry = true;
  bool dry = false;  ///< run, kernels: only what can be checked before the matrix is read
  double timeout_seconds = 300;
  bool quiet = false, progress = true, explain = false;
  Color color = Color::automatic;
};

/// `--partition` of run and info: every partitioner that is usable.
inline constexpr const char* all_partitioners = "all";

/// What only `info` has.
struct InfoOptions {
  int ranks = 0;  ///< to plan for; 0: those that run
  bool dry = false;
  double device_memory_gb = 0;  ///< 0: that of the GPU, if there is one
};

/// What only `solve` has; names as in its tables.
struct SolveOptions {
  std::string method = "cg", preconditioner = "jacobi";
  std::string norm;  ///< natural | unpreconditioned | preconditioned; empty: unpreconditioned
  double tolerance = 1e-8;
  int max_iterations = 10000;
  int iterations = 0;  ///< exactly so many; 0: until the tolerance
  bool reproducible = false;
  std::string graph = "on";  ///< on: one that repeats itself if possible | several: of several
                             ///< iterations | off
  double damping = 0.85;
  bool petsc = false;  ///< PETSc's solvers beside ours
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

}  // namespace rowhalo

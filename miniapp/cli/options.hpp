// SPDX-License-Identifier: BSD-3-Clause
//
// The command line as plain data. Parsing does no MPI and knows nothing of ranks: every rank reads
// the same words and comes to the same result or the same error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/report/report.hpp"
#include "miniapp/bench/batches.hpp"
#include "miniapp/halo/halo_vector.hpp"
#include "miniapp/solve/solver_options.hpp"
#include "miniapp/tune/schedule.hpp"
#include "partition/base/types.hpp"
#include "partition/reorder.hpp"

namespace rowhalo {

class App;

// Options, a struct per concern, with the defaults of the contract. Their words and checks, a file
// per concern: cli/options.

/// Which matrix, and in which order of rows.
struct MatrixOptions {
  std::string matrix;
  int block = 0;           ///< 0: what the source says
  bool transpose = false;  ///< y = A^T x; otherwise of the matrix as it is
  bool pair = false;       ///< A x and A^T x in turn
  std::optional<std::uint64_t> shuffle;
};

/// Which rank owns which rows.
struct PartitionOptions {
  std::string partition = "auto";
  bool hierarchical = false;  ///< nodes first, then the ranks of each
  int ranks_per_node = 0;     ///< emulated; 0: as ranks share memory
  Reorder reorder = Reorder::none;
};

/// `--partition` of run and info: every partitioner that is usable.
inline constexpr const char* all_partitioners = "all";

/// Ranks that --ranks and --ranks-per-node may name: more than any machine has.
inline constexpr int most_ranks = 1'000'000;

/// What is multiplied by what, in which format, and on which device.
struct KernelOptions {
  std::string device = "auto";
  int threads = 0;  ///< 0: OMP_NUM_THREADS, else the cores of this rank
  std::string format = "auto", boundary_format;
  bool value_codes = true;
  Precision precision = Precision::fp64;
  bool graph = true;          ///< where transport and schedule allow it
  bool reproducible = false;  ///< rows are summed in their stored order, in whatever format
  double alpha = 1, beta = 0;
  int vectors = 1;              ///< x and y are so many at once
  Layout layout = Layout::row;  ///< of these, for the caller
  std::string x = "random:seed=1", y = "zeros";
  std::string rhs = "manufactured";  ///< of solve
};

/// Partial sums instead of entries of x where they are fewer; automatic: where that is predicted to
/// be faster and neither format nor partition is named.
enum class SumsOption { off, on, automatic };

/// How entries of x travel between ranks, and in which order of a product.
struct ExchangeOptions {
  std::string halo = "auto";
  Schedule schedule = Schedule::overlap;
  SumsOption partial_sums = SumsOption::off;
  std::string machine;  ///< file of `network` that products are predicted from
};

/// Tuning files: written by one run, read by the next instead of trials.
struct TuningOptions {
  std::string tuning, save_tuning;  ///< files of what was chosen
};

/// How long products are timed, and when a run gives up.
struct MeasureOptions : BatchOptions {
  bool measuring_given = false;  ///< by --iterations, --batches, --warmup, --min-seconds
  bool cold = false;             ///< kernels: also with caches flushed
  std::string sweep;             ///< kernels: "threads", or empty
  bool telemetry = true;
  bool dry = false;  ///< run, kernels: only what can be checked before the matrix is read
  double timeout_seconds = 300;
  int refill = 0;  ///< solve: time steps with new values
};

/// What y is validated against, and disturbances of the exchange.
struct CheckOptions {
  Against validate = Against::reference;
  bool poison = false;
  double jitter_microseconds = 0;
};

enum class Color { automatic, always, never };

/// What is written, where, and what the terminal shows.
struct OutputOptions {
  std::string output;  ///< of convert
  bool force = false;  ///< convert: `output` may be there
  std::string json, csv, hdf5, communication, trace;
  std::string save_y, save_x, history;  ///< the latter two of solve
  bool quiet = false, progress = true, explain = false;
  Color color = Color::automatic;
};

/// Of the commands that take a matrix.
struct RunOptions : MatrixOptions,
                    PartitionOptions,
                    KernelOptions,
                    ExchangeOptions,
                    TuningOptions,
                    MeasureOptions,
                    CheckOptions,
                    OutputOptions {};

/// Local. Throws InputError where no format of `device` takes the precision, a format is unknown,
/// or a factor too large.
void check(const KernelOptions& options, Device device);
/// Local. Throws InputError where a transport is unknown, or the schedule has no partial sums.
void check(const ExchangeOptions& options);

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

// SPDX-License-Identifier: BSD-3-Clause
//
// Everything that a command writes: table, FOM and RESULT lines, and files. Each output is an
// attempt of its own, agreed between the ranks: one that fails costs no other output, is named on
// stderr with its reason, and makes the exit status 1. FOM and RESULT lines are printed in any
// case, on stderr if stdout fails.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/report/report.hpp"
#include "miniapp/cli/options.hpp"
#include "miniapp/process/progress_line.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// First of all in main. A write to a closed pipe, or beyond the limit of a file's size (ulimit
/// -f), becomes an error instead of a signal, and closed standard descriptors are occupied, so that
/// no file or socket gets their numbers.
void prepare_standard_streams();

/// Without MPI: writes `text` to stdout; if that fails, says so on stderr.
ExitCode print_to_stdout(std::string_view text);

class Outputs {
 public:
  Outputs(const RunOptions& options, const Comm& comm);

  /// Local, inside agree(), before any work is done: throws InputError for outputs that can be
  /// known to fail.
  void check() const;

  /// On a terminal, unless --quiet or --no-progress: shows the phase and its progress until
  /// write_report().
  void show_progress(const Progress& progress);

  /// Rank 0 prints `text`: on stdout, or on stderr if an output '-' takes stdout. A failure is
  /// kept for finish().
  void print(const std::string& text);
  /// Whether what is printed may have colours.
  bool color() const;

  /// Collective. Table, JSON, CSV, HDF5, communication matrix and timeline (`trace`, on rank 0).
  void write_report(const RunReport& report, const std::string& trace);
  /// Collective. Runs the collective `write`; if it throws AgreedError, output `option` is lost.
  void attempt(const char* option, const std::function<void()>& write);
  /// Collective. `text`, that of rank 0, to `path`, which may be '-' or empty: nothing.
  void write_text(const char* option, const std::string& path, const std::string& text);
  /// Collective, last of all: prints FOM and RESULT lines and names the outputs that were lost.
  /// The exit status: `code` unless that is fine and an output was lost.
  ExitCode finish(RunReport& report, ExitCode code);

 private:
  struct Lost {
    std::string option, reason;
  };

  void write_file(const char* option, const std::string& path, const std::function<void()>& write);

  const RunOptions& options_;
  Comm comm_;
  std::optional<ProgressLine> progress_line_;  ///< rank 0
  int descriptor_;                             ///< of what is printed
  std::optional<std::string> print_error_;     ///< rank 0
  std::vector<Lost> lost_;                     ///< the same on every rank
};

}  // namespace rowhalo

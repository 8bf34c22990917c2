// SPDX-License-Identifier: BSD-3-Clause
//
// The conversion (convert.hpp). What is written is not read again: the fingerprint that is printed
// is that of the matrix in memory, and the one that `info` or `run` shows for the new file is to be
// the same.
#include "miniapp/commands/convert.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "io/hdf5/location.hpp"
#include "io/sources.hpp"
#include "miniapp/bench/describe.hpp"
#include "miniapp/commands/session.hpp"

namespace rowhalo {

namespace {

/// Rank 0. Size of the regular file that a source or target names, else 0.
std::int64_t file_bytes(const std::string& text) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(hdf5_location(text).file, error);
  return error ? 0 : static_cast<std::int64_t>(bytes);
}

class Conversion : public Session {
 public:
  Conversion(const CommandLine& line, const Job& job) : Session(line, job) {
    report_.command = "convert";
  }

  ExitCode execute() {
    check_matrix_target(options_.output, "OUT", comm_);
    begin();
    read();
    if (!interrupted()) write();
    return finish();
  }

 private:
  void write();
  ExitCode finish();
};

void Conversion::write() {
  phase("write");
  outputs_.attempt("OUT", [&] {
    OutputReport output;
    output.path = options_.output;
    output.seconds = timed([&] { save_matrix(options_.output, *source_, comm_, progress_); });
    if (comm_.rank == 0) {
      output.bytes = file_bytes(options_.output);
      output.read_bytes = file_bytes(options_.matrix);
    }
    report_.output = output;
  });
}

ExitCode Conversion::finish() {
  report_.memory.peak_bytes_max_rank = peak_host_bytes(comm_);
  const bool interrupted = report_.status == RunStatus::interrupted;
  if (!interrupted && !report_.output) report_.status = RunStatus::failed;
  report_.verdict = interrupted      ? "interrupted by a signal; nothing was written"
                    : report_.output ? fmt::format("{} written", options_.output)
                                     : "the matrix could not be written";
  write_report();
  return outputs_.finish(report_, report_.output ? ExitCode::fine : ExitCode::run_time);
}

}  // namespace

ExitCode convert(const CommandLine& line, const Job& job) {
  return Conversion(line, job).execute();
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// `rowhalo convert IN OUT`. What is written is not read again: the fingerprint that is printed
// is that of the matrix in memory, and the one that `info` or `run` shows for the new file is to be
// the same.
#include <fmt/format.h>

#include <filesystem>

#include "io/file_kind.hpp"
#include "io/sources.hpp"
#include "miniapp/commands/experiment.hpp"

namespace rowhalo {

namespace {

/// Rank 0. Size of the regular file that a source or target names, else 0.
std::int64_t file_bytes(const std::string& text) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file_location(text).file, error);
  return error ? 0 : static_cast<std::int64_t>(bytes);
}

/// Rank 0. Throws InputError where a file would be replaced that the user may want to keep. A group
/// is added to its file (check_target).
void check_new(const OutputOptions& options) {
  const FileLocation target = file_location(options.output);
  std::error_code ignored;
  if (options.force || target.object.find_first_not_of('/') != std::string::npos) return;
  if (!std::filesystem::exists(target.file, ignored)) return;
  throw InputError(fmt::format(
      "OUT {}: exists already; replace it by --force, or name another file", options.output));
}

/// Empty when OUT could not be written.
std::optional<OutputReport> write(const RunOptions& options, const Job& job,
                                  const DistributedCsr& matrix, Outputs& outputs) {
  job.progress.phase("write");
  std::optional<OutputReport> written;
  outputs.attempt("OUT", [&] {
    OutputReport output;
    output.path = options.output;
    output.seconds =
        timed(job.comm, [&] { save_matrix(options.output, matrix, job.comm, job.progress); });
    if (job.comm.rank == 0) {
      output.bytes = file_bytes(options.output);
      output.read_bytes = file_bytes(options.matrix);
    }
    written = output;
  });
  return written;
}

}  // namespace

ExitCode convert(Session& session) {
  const RunOptions& options = session.line.run;
  const Job& job = session.job;
  RunReport& report = session.report;
  check_target(options.output, "OUT", FileUse::matrix, job.comm);
  begin(session, Purpose::product);
  agree(job.comm, [&] {
    if (job.comm.rank == 0) check_new(options);
  });
  const DistributedCsr matrix = read_matrix(options, job, report);
  report.output = write(options, job, matrix, session.outputs);
  if (!report.output) report.status = RunStatus::failed;
  report.verdict =
      report.output ? fmt::format("{} written", options.output) : "the matrix could not be written";
  return finish(session, report.output ? ExitCode::fine : ExitCode::run_time);
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The table of commands, and what all of them begin and end with (commands.hpp).
#include "miniapp/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "miniapp/commands/experiment.hpp"

namespace rowhalo {

/// Matrix, partition, plan, operator, loop, check, report.
ExitCode run(Session& session);
/// Every format on one matrix and one rank, beside the vendor's.
ExitCode compare_kernels(Session& session);
/// Solvers on the distributed operator, beside PETSc's.
ExitCode solve(Session& session);
/// What a machine can do, apart from any matrix, as a file that products are predicted from.
ExitCode measure_network(Session& session);
/// What a matrix is like, what every partitioner makes of it for any number of ranks, and the
/// memory that a product would need. Runs no product.
ExitCode info(Session& session);
/// A matrix from any source into a file whose kind its suffix names.
ExitCode convert(Session& session);

namespace {

struct CommandEntry {
  Command command;
  const char* name;
  ExitCode (*run)(Session& session);
};

constexpr CommandEntry commands[] = {
    {Command::run, "run", run},       {Command::kernels, "kernels", compare_kernels},
    {Command::solve, "solve", solve}, {Command::network, "network", measure_network},
    {Command::info, "info", info},    {Command::convert, "convert", convert},
};

}  // namespace

ExitCode execute(const CommandLine& line, const Job& job) {
  const CommandEntry& entry = *std::ranges::find(commands, line.command, &CommandEntry::command);
  Session session{line, job, Outputs(line.run, job.comm)};
  RunReport& report = session.report;
  report.command = entry.name;
  report.argv = line.argv;
  try {
    return entry.run(session);
  } catch (const StopRequest& request) {  // what the report has by then is written
    report.status = RunStatus::interrupted;
    report.verdict = fmt::format("{} in phase '{}'", request.what(), job.progress.phase());
    return finish(session, ExitCode::run_time);
  }
}

}  // namespace rowhalo

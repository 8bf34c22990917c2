// SPDX-License-Identifier: BSD-3-Clause
//
// rowhalo: parse, run, report. Only --help, --version and list do without MPI.
#include "kernels/cpu/isa.hpp"
#include "miniapp/cli/device.hpp"
#include "miniapp/cli/options.hpp"
#include "miniapp/cli/outputs.hpp"
#include "miniapp/cli/provenance.hpp"
#include "miniapp/commands/commands.hpp"
#include "miniapp/process/environment.hpp"
#include "miniapp/process/watchdog.hpp"

namespace {

using namespace rowhalo;

int print_information(const CommandLine& line) {
  if (launched_rank() != 0) return static_cast<int>(ExitCode::fine);
  const auto version = [&] { return line.json_version ? version_json() : version_text(); };
  const std::string text = line.command == Command::list      ? list_text(line.list)
                           : line.command == Command::version ? version()
                                                              : line.help;
  return static_cast<int>(print_to_stdout(text));
}

}  // namespace

int main(int argc, char** argv) {
  prepare_standard_streams();
  const CommandLine line = parse_command_line(argc, argv);
  if (line.informational()) return print_information(line);

  Watchdog::block_signals();  // before any thread starts
  Progress progress;
  const TerminateHandler handler(progress);
  const Watchdog watchdog(progress, line.run.timeout_seconds);
  if (!line.error && line.run.device != "cpu") select_device_by_launcher(progress);
  MpiEnvironment mpi(&argc, &argv, progress);
  try {
    mpi.check_launcher();
    if (line.error) throw AgreedError(ExitCode::usage, *line.error);
    agree(mpi.world(), [] { isa_limit(); });  // ROWHALO_SIMD
    return static_cast<int>(execute(line, {mpi.world(), progress}));
  } catch (const AgreedError& error) {
    print_agreed(mpi.world(), error);
    return static_cast<int>(error.code());
  }
}

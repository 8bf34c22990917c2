// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/commands/tuned.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

#include "kernels/formats.hpp"
#include "partition/base/table.hpp"
#include "partition/partitioners.hpp"

namespace rowhalo {

namespace {

/// Local. Throws InputError where a name of the file is none, or none for this device.
void check_names(const TuningFile& tuning, const std::string& file, Device device) {
  const auto where = [&](const char* name) {
    return fmt::format("--tuning {}: choice.{}", file, name);
  };
  if (tuning.made_for.device != name_of(device)) {
    throw InputError(
        fmt::format("--tuning {}: was made on device {}, and this run uses device {}; "
                    "make one here: --save-tuning FILE",
                    file, tuning.made_for.device, name_of(device)));
  }
  const TunedChoice& choice = tuning.choice;
  const std::pair<const char*, const std::string*> formats[] = {
      {"format", &choice.format}, {"boundary_format", &choice.boundary_format}};
  for (const auto& [name, text] : formats) {
    find_format(Spec::parse(*text, where(name)).name(), device, where(name));
  }
  find_transport(choice.transport, where("transport"));
  find_entry(schedules(), choice.schedule, where("schedule"), "schedule");
  find_partitioner(Spec::parse(choice.partition, where("partition")).name(), where("partition"));
}

}  // namespace

std::optional<TuningFile> tuning_for(const RunOptions& options, const Job& job,
                                     const Machine& machine) {
  if (options.tuning.empty()) return {};
  const TuningFile tuning = read_tuning_file(options.tuning, job.comm);
  agree(job.comm, [&] {
    const Device device = machine.device.site.device;
    check_names(tuning, options.tuning, device);
    try {
      check_reproducible(with_choice(options, tuning), device);
    } catch (const InputError& error) {
      throw InputError(fmt::format("--tuning {}: {}", options.tuning, error.what()));
    }
  });
  return tuning;
}

RunOptions with_choice(RunOptions options, const std::optional<TuningFile>& tuning) {
  if (!tuning) return options;
  const TunedChoice& choice = tuning->choice;
  options.format = choice.format;
  options.boundary_format = choice.boundary_format;
  options.halo = choice.transport;
  options.schedule = find_entry(schedules(), choice.schedule, "--schedule", "schedule").schedule;
  options.graph = choice.graph;
  options.partition = choice.partition;
  options.hierarchical = choice.hierarchical;
  options.partial_sums = choice.partial_sums ? SumsOption::on : SumsOption::off;
  return options;
}

std::uint64_t pattern_for_tuning(const RunOptions& options, const Job& job,
                                 const DistributedCsr& matrix) {
  const bool asked = !options.tuning.empty() || !options.save_tuning.empty();
  return asked ? pattern_fingerprint(job.comm, matrix) : 0;
}

void compare_with_tuning(const RunOptions& options, const std::optional<TuningFile>& tuning,
                         const Job& job, const Machine& machine, std::uint64_t pattern,
                         RunReport& report) {
  if (!tuning) return;
  const TuningConditions now =
      tuning_conditions(report, std::string(name_of(machine.device.site.device)),
                        std::string(name_of(options.precision)), pattern);
  report.tuning = TuningReport{options.tuning, differences(tuning->made_for, now)};
  if (report.tuning->differences.empty() || job.comm.rank != 0) return;
  std::cerr << fmt::format(
      "rowhalo: warning: --tuning {}: was made for {}; another choice may be faster: "
      "--save-tuning FILE tries anew\n",
      options.tuning, fmt::join(report.tuning->differences, ", "));
}

void save_tuning(const RunOptions& options, std::uint64_t pattern, const RunReport& report,
                 Outputs& outputs) {
  if (options.save_tuning.empty()) return;
  if (!report.validation->passed) {
    outputs.attempt("--save-tuning", [] {
      throw AgreedError(ExitCode::run_time, "y is wrong, so what was chosen is not to be kept");
    });
    return;
  }
  outputs.write_text("--save-tuning", options.save_tuning,
                     tuning_text(tuning_of(report, pattern), report));
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/commands/tuned.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "io/report/reasons.hpp"
#include "partition/base/table.hpp"

namespace rowhalo {

namespace {

std::string processor_of(const RunReport& report, const std::string& device) {
  if (device == "gpu") {
    return report.provenance.devices.empty() ? "" : report.provenance.devices.front();
  }
  return report.system ? report.system->cpu : "";
}

TuningConditions tuning_conditions(const RunReport& report, const std::string& device,
                                   const std::string& precision, std::uint64_t pattern) {
  const MatrixReport& matrix = report.matrix;
  return {.source = matrix.info.source,
          .rows = matrix.info.rows,
          .columns = matrix.info.columns,
          .nonzeros = matrix.nonzeros,
          .pattern = fmt::format("{:016x}", pattern),
          .ranks = report.partition->ranks,
          .nodes = report.partition->nodes,
          .device = device,
          .processor = processor_of(report, device),
          .precision = precision};
}

/// Of a run that has been measured.
TuningFile tuning_of(const RunReport& report, std::uint64_t pattern) {
  const KernelReport& kernel = *report.kernel;
  const HaloReport& halo = *report.halo;
  TuningFile tuning;
  tuning.made_for =
      tuning_conditions(report, kernel.device, std::string(name_of(kernel.precision)), pattern);
  tuning.choice = {.format = kernel.format,
                   .boundary_format = kernel.boundary_format,
                   .transport = halo.transport,
                   .schedule = halo.schedule,
                   .partition = report.partition->name,
                   .graph = halo.graph,
                   .hierarchical = report.partition->hierarchical,
                   .partial_sums = halo.partial_sums > 0};
  for (const FormatCandidate& one : kernel.candidates) {
    tuning.formats.push_back({one.name, false, one.seconds, name_of(one.outcome)});
  }
  for (const TransportCandidate& one : halo.candidates) {
    if (one.trial) continue;
    tuning.transports.push_back({one.name, one.graph, one.seconds, name_of(one.outcome)});
  }
  tuning.seconds = report.timing->median_seconds;
  return tuning;
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

void compare_with_tuning(const Experiment& e, const std::optional<TuningFile>& tuning,
                         RunReport& report) {
  if (!tuning) return;
  const TuningConditions now =
      tuning_conditions(report, std::string(name_of(e.site.device)),
                        std::string(name_of(e.options.precision)), e.pattern);
  report.tuning = TuningReport{e.options.tuning, differences(tuning->made_for, now)};
  if (report.tuning->differences.empty() || e.job.comm.rank != 0) return;
  std::cerr << fmt::format(
      "rowhalo: warning: --tuning {}: was made for {}; another choice may be faster: "
      "--save-tuning FILE tries anew\n",
      e.options.tuning, fmt::join(report.tuning->differences, ", "));
}

void save_tuning(const TuningOptions& options, std::uint64_t pattern, const RunReport& report,
                 Outputs& outputs) {
  if (options.save_tuning.empty()) return;
  if (!report.validation->passed) {
    outputs.attempt("--save-tuning", [] {
      throw AgreedError(ExitCode::run_time, "y is wrong, so what was chosen is not to be kept");
    });
    return;
  }
  outputs.write_text("--save-tuning", options.save_tuning,
                     tuning_text(tuning_of(report, pattern), report.provenance));
}

}  // namespace rowhalo

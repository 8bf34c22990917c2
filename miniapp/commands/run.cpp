// SPDX-License-Identifier: BSD-3-Clause
//
// The experiment of `rowhalo run`, one step after the other. A signal that comes to any
// rank ends it, on all ranks alike; what there is then is reported.
#include <fmt/format.h>

#include <algorithm>

#include "miniapp/commands/combinations.hpp"
#include "miniapp/commands/one_case.hpp"
#include "miniapp/commands/pair.hpp"
#include "miniapp/commands/tuned.hpp"

namespace rowhalo {

namespace {

/// Every combination that is asked for, mostly one, until a signal comes.
Measured measure_all(const Experiment& e, RunReport& report) {
  const Device device = e.site.device;
  const RunOptions& options = e.options;
  const ProductSetting setting = e.products({options.poison, 1e-6 * options.jitter_microseconds});
  std::vector<std::string> names{options.format};
  if (options.format == "all") names = usable_formats(device, options.reproducible);
  Measured measured;
  // For what is small and comes after the timing, such as the text of reports: a measurement is
  // there then that must not be lost.
  constexpr std::size_t reserve_bytes = std::size_t{16} << 20;
  agree(e.job.comm, [&] { measured.reserve.reserve(reserve_bytes); });
  for (const std::string& name : names) {
    const std::optional<ChosenKernels> kernels = convert(e, setting, name, report);
    if (interrupted(e.job, report)) return measured;
    if (!kernels) continue;
    for (ChosenTransport& transport : transports_for(e, setting, *kernels)) {
      if (interrupted(e.job, report)) return measured;
      const auto other = try_others(e, setting, *kernels, transport);
      const bool going_on =
          other ? measure_case(e, other->setting, other->kernels, transport, measured, report)
                : measure_case(e, setting, *kernels, transport, measured, report);
      if (!going_on) return measured;
    }
  }
  if (!report.timing) {
    throw AgreedError(ExitCode::usage,
                      "--format, --halo, --partition all: every combination was refused; the "
                      "last: " +
                          report.cases.back().reason);
  }
  return measured;
}

/// Throws AgreedError where --machine names the file of another kind of device.
void check_machine_file(const ExchangeOptions& options, const Machine& machine) {
  const std::string_view device = name_of(machine.device.site.device);
  if (!machine.measured || machine.measured->device == device) return;
  throw AgreedError(ExitCode::usage,
                    fmt::format("--machine {}: was measured on the {}, but this run computes on "
                                "the {}; measure that: rowhalo network --device {}",
                                options.machine, machine.measured->device, device, device));
}

}  // namespace

ExitCode run(Session& session) {
  const RunOptions& given = session.line.run;
  const Job& job = session.job;
  RunReport& report = session.report;
  const Machine machine = begin(session, Purpose::product);
  const std::optional<TuningFile> tuning = tuning_for(given, job, machine);
  const RunOptions options = with_choice(given, tuning);
  check_machine_file(options, machine);
  if (options.dry) return dry_run(options, machine, session);
  if (options.pair) return run_pair(options, machine, session);

  // --partition all: one partition after the other, each from the source. What the report describes
  // is the best of all.
  const bool sweeps = options.partition == all_partitioners;
  const std::vector<std::string> partitions =
      sweeps ? partitioners_to_sweep() : std::vector{options.partition};
  const RunReport empty = report;
  RunOptions one = options;
  std::unique_ptr<const Experiment> e;
  std::uint64_t pattern = 0;
  Measured measured;
  References references;
  std::optional<AgreedError> last;
  bool stopped = false;
  for (auto name = partitions.begin(); name != partitions.end() && !stopped; ++name) {
    e.reset();
    one.partition = *name;
    RunReport apart = empty;
    RunReport& its = sweeps ? apart : report;
    DistributedCsr matrix = read_matrix(one, job, its);
    try {
      e = std::make_unique<Experiment>(one, job, machine, std::move(matrix), its);
      pattern = e->pattern;
      compare_with_tuning(*e, tuning, its);
      measured = measure_all(*e, its);
      e->connections->close();
      if (measured.references) references = std::move(*measured.references);
    } catch (const AgreedError& refusal) {
      if (!sweeps) throw;
      its.partition = PartitionReport{.name = *name, .statistics = {}};
      refuse_case(its, "", "", false, outcome_of(refusal), refusal.what());
      last = refusal;
    }
    stopped = interrupted(job, its);
    if (sweeps) merge_cases(std::move(its), report);
  }
  if (!several(options)) report.cases.clear();
  if (stopped) {
    report.status = RunStatus::interrupted;
    report.verdict = interruption(job, report);
    return finish(session, ExitCode::run_time, measured.trace);
  }
  if (!report.timing) throw *last;
  return finish(session, conclude_run(options, references, report), measured.trace, [&] {
    if (!options.save_y.empty()) {
      job.progress.phase("save y");
      save_vector(*e, "--save-y", options.save_y, options.precision, measured.y.data(), session,
                  options.vectors);
    }
    save_tuning(options, pattern, report, session.outputs);
  });
}

}  // namespace rowhalo

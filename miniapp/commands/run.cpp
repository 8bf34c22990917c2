// SPDX-License-Identifier: BSD-3-Clause
//
// The experiment of `rowhalo run`, one step after the other. A signal that comes to any
// rank ends it, on all ranks alike; what there is then is reported.
#include <fmt/format.h>

#include <algorithm>

#include "io/report/reasons.hpp"
#include "miniapp/bench/describe.hpp"
#include "miniapp/bench/expected.hpp"
#include "miniapp/bench/measurement.hpp"
#include "miniapp/bench/trace.hpp"
#include "miniapp/commands/combinations.hpp"
#include "miniapp/commands/references.hpp"
#include "miniapp/commands/tuned.hpp"
#include "miniapp/tune/choose.hpp"
#include "miniapp/tune/trials.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

/// What the measurements of one run leave beside the report.
struct Measured {
  std::vector<std::byte> y;              ///< of the choice that is reported
  std::string trace;                     ///< text of the timeline, on rank 0
  std::optional<References> references;  ///< once a y has been there
  std::vector<std::byte> reserve;        ///< until something has been measured
  std::optional<double> read_bandwidth;  ///< of all devices, GB/s; 0: cannot be measured
};

/// Whether graphs are wanted, and the schedule can be captured.
bool graphs(const Experiment& e) {
  return e.options.graph && !entry_of(e.schedule).baseline;
}

/// The share of the devices' read bandwidth, which is measured once.
void report_share_of_bandwidth(const Experiment& e, Measured& measured, RunReport& report) {
  if (!measured.read_bandwidth) measured.read_bandwidth = measured_read_bandwidth(e);
  const double bandwidth = *measured.read_bandwidth;
  if (bandwidth == 0) return;
  report.performance->read_bandwidth_gbytes = bandwidth;
  report.performance->share_of_read_bandwidth =
      static_cast<double>(report.kernel->bytes) * 1e-9 / report.timing->median_seconds / bandwidth;
}

/// Makes this choice the one that the report describes.
void report_choice(const Experiment& e, const ChosenKernels& kernels,
                   const ChosenTransport& transport, const Measurement& measurement,
                   Measured& measured, RunReport& report) {
  const Comm& comm = e.job.comm;
  const Precision precision = e.options.precision;
  const ComputeSite& site = e.site;
  report_chosen(e, kernels, transport, report);
  const std::optional<NodeTraffic>& sent = measurement.sent_between_nodes;
  report.halo->sent_between_nodes =
      sent ? sum_over_ranks(comm, *sent) : report.halo->planned_between_nodes;
  report.halo->poison = e.options.poison;
  report.halo->jitter_seconds = 1e-6 * e.options.jitter_microseconds;
  if (measurement.timing.iterations == 0) return;
  report.timing = measurement.timing;
  report.performance =
      describe_performance(report.matrix, precision, measurement.timing.median_seconds);
  if (measurement.timing.batches == 0) return;  // a part of one is all there is
  report_telemetry(e,
                   static_cast<double>(measurement.timing.batches) * measurement.timing.iterations,
                   static_cast<double>(report.kernel->flops), report);
  if (!e.options.hdf5.empty()) {
    report.ranks = describe_ranks(comm, e.multiplied(), e.exchanged(), measurement.own);
    report.ranks->communication =
        describe_communication(comm, e.exchanged(), site.nodes, report.partition->name, precision);
  }
  if (measurement.interrupted) return;
  if (site.device == Device::gpu) {
    report.memory.device_bytes_max_rank =
        max_over_ranks(comm, e.machine.free_device_bytes - free_device_bytes());
    report_share_of_bandwidth(e, measured, report);
  }
}

/// --machine: what this rank's part of the product that is reported does.
RankWork work_of(const Experiment& e, const std::string& format, const LocalKernels& kernels) {
  const std::vector<Flow> flows = sent_flows(e.job.comm, e.exchanged());
  RankWork work;
  work.rows = static_cast<double>(e.matrix.owned_rows);
  Offset nonzeros = e.multiplied().offsets.back();
  if (e.sums) nonzeros += e.sums->sums.offsets.back() + e.sums->added.offsets.back();
  work.nonzeros = static_cast<double>(nonzeros);
  work.bytes = static_cast<double>(kernels.work().bytes);
  const bool overlaps =
      hides_exchange(steps_of(kernels.order, false)) && kernels.boundary && work.bytes > 0;
  work.boundary_share =
      overlaps ? static_cast<double>(kernels.boundary->work().bytes) / work.bytes : 1;
  const LocalStatistics statistics = e.block->statistics();
  const PredictionRule* rule = find_format(format, e.site.device).predict;
  const bool gathers = rule == nullptr || !rule(statistics).in_panels;
  work.sectors = gathers ? awaited_sectors(statistics, e.site.device) * work.nonzeros : 0;
  work.traffic = traffic_of_parts(e.job.comm, flows, e.site.nodes)[e.job.comm.rank];
  work.entry_bytes = static_cast<int>(vector_value_bytes(e.options.precision));
  return work;
}

/// --machine: what the product that is reported is expected to take.
ExpectedReport expected_of_run(const Experiment& e, const ChosenKernels& kernels,
                               const ChosenTransport& transport) {
  const NodeMap& nodes = e.site.nodes;
  const int ranks = e.job.comm.size;
  const MachineModel model{*e.machine.measured, prediction_model(e.site.device, nodes),
                           static_cast<double>(ranks) / nodes.nodes, transport.graph};
  const RankWork work =
      work_of(e, Spec::parse(kernels.interior, "--format").name(), kernels.kernels);
  return expected_product(e.job.comm, model, std::span(&work, 1), ranks, transport.name,
                          e.options.machine);
}

/// What is wrong with the timed sequence, in the order of SequenceFault; empty: it is sound.
constexpr const char* sequence_faults[] = {
    "", "the timed products left ghosts that differ from their owners' entries of x",
    "the timed graph does not hold the products that it stands for",
    "the timed products and a single one differ in their bits"};

/// Whether y, and the sequence that made it, are right.
Verdict judge(const Experiment& e, const References& references, const ChosenKernels& kernels,
              const Measurement& measurement) {
  Verdict verdict =
      check(e, references, measurement.y, measurement.y_hash, bits_of(kernels.kernels));
  ValidationReport& validation = verdict.validation;
  const auto note = [&](const std::string& more) {
    validation.note += (validation.note.empty() ? "" : "; ") + more;
  };
  if (order_of(kernels.schedule) == Order::split) {
    note(fmt::format("{} sums up rows in two parts, so y_hash differs from other schedules",
                     entry_of(kernels.schedule).name));
  }
  if (e.sums) {
    note("partial sums add up rows in parts, so y_hash differs from other partitions");
  }
  const SequenceFault sequence = sequence_fault(measurement, kernels.kernels.repeatable);
  std::string fault = sequence_faults[static_cast<int>(sequence)];
  if (fault.empty() && e.options.beta != 0) {
    fault = repeated_fault(e, measurement.checked.y, measurement.checked.products);
  }
  if (!fault.empty()) {
    validation.passed = false;
    verdict.fault = fault;
  }
  return verdict;
}

/// Measures and checks one combination, and reports it if it is the best so far. False when a
/// signal has ended it.
bool measure_case(const Experiment& e, const ProductSetting& setting, const ChosenKernels& kernels,
                  const ChosenTransport& transport, Measured& measured, RunReport& report) {
  e.job.progress.phase("measure");
  std::optional<Products> products;
  try {
    products.emplace(setting, kernels.kernels,
                     TransportVariant{&find_transport(transport.name), transport.graph},
                     e.options.alpha, e.options.beta);
  } catch (const AgreedError& refusal) {
    if (!several(e.options)) throw;
    refuse_case(report, kernels.interior, transport.name, transport.graph, outcome_of(refusal),
                refusal.what());
    return true;
  }
  BatchOptions batches = e.options;
  batches.watch = e.machine.telemetry.get();
  if (e.machine.telemetry) e.machine.telemetry->reset();
  Measurement measurement = measure(setting, *products, batches, e.options.beta, e.stored_y0);
  if (!e.options.trace.empty() && !measurement.interrupted) {
    e.job.progress.phase("trace");
    measured.trace = trace_products(setting, *products, report.provenance);
  }
  products->close();
  if (report.memory.peak_bytes_max_rank == 0) {
    report.memory.peak_bytes_max_rank = peak_host_bytes(e.job.comm);
  }
  measured.reserve = {};
  if (measurement.interrupted) {
    if (!report.timing) report_choice(e, kernels, transport, measurement, measured, report);
    return false;
  }
  if (!measured.references) measured.references = compute_references(e);
  const auto [validation, fault] = judge(e, *measured.references, kernels, measurement);
  const TimingReport& timing = measurement.timing;
  report.cases.push_back({.partition = report.partition->name,
                          .format = kernels.interior,
                          .transport = transport.name,
                          .graph = transport.graph,
                          .median_seconds = timing.median_seconds,
                          .exposed_seconds = *timing.exposed_seconds,
                          .max_error_ratio = validation.max_error_ratio,
                          .y_hash = validation.y_hash,
                          .outcome = validation.passed ? Outcome::slower : Outcome::wrong,
                          .reason = fault,
                          .rows_unchecked = validation.rows_unchecked,
                          .median_low_seconds = timing.median_low_seconds,
                          .median_high_seconds = timing.median_high_seconds});
  if (is_better(validation.passed, timing.median_seconds, report)) {
    report_choice(e, kernels, transport, measurement, measured, report);
    choose_last(report.cases);
    if (e.machine.measured) report.expected = expected_of_run(e, kernels, transport);
    report.validation = validation;
    report.verdict = fault;
    measured.y = std::move(measurement.y);
  }
  return true;
}

/// The named format or the fastest; of --format all the one called `name`, or nothing, and its
/// reason in the report.
std::optional<ChosenKernels> convert(const Experiment& e, const ProductSetting& setting,
                                     const std::string& name, RunReport& report) {
  e.job.progress.phase("convert");
  const FormatRequest request{name, e.options.boundary_format, graphs_on(e.site.device, graphs(e)),
                              e.options.reproducible};
  ChosenKernels kernels;
  std::optional<AgreedError> refusal;
  const double seconds = timed(e.job.comm, [&] {
    if (e.options.format == "all") {
      refusal = name_kernels(setting, request, kernels);
    } else {
      kernels = choose_kernels(setting, request);
    }
  });
  if (refusal) {
    refuse_case(report, name, "", false, outcome_of(*refusal), refusal->reason());
    return std::nullopt;
  }
  report.setup.convert_seconds = std::max(report.setup.convert_seconds, seconds);
  return kernels;
}

/// The named transport or the fastest; all of --halo all.
std::vector<ChosenTransport> transports_for(const Experiment& e, const ProductSetting& setting,
                                            const ChosenKernels& kernels) {
  if (e.options.halo != "all") {
    e.job.progress.phase("choose transport");
    return {choose_transport(setting, e.options.halo, graphs(e), kernels)};
  }
  std::vector<ChosenTransport> transports;
  for (const TransportVariant& variant : usable_transports(e.site, graphs(e))) {
    transports.push_back({variant.entry->name, variant.graph, {}});
  }
  return transports;
}

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
      const bool open = options.format == "auto" && options.schedule == Schedule::overlap;
      const auto other = open ? try_other_schedules(setting, *kernels, transport) : nullptr;
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

/// The why of the RESULT line when a signal has come.
std::string interruption(const Job& job, const RunReport& report) {
  std::string why = fmt::format("interrupted by a signal in phase '{}'", job.progress.phase());
  if (report.timing && report.timing->batches == 0) {
    why += fmt::format("; the times are those of the first {} products of a batch",
                       report.timing->iterations);
  }
  return why;
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

  // --partition all: one partition after the other, each from the source. What the report describes
  // is the best of all.
  const bool sweeps = options.partition == all_partitioners;
  std::vector<std::string> partitions{options.partition};
  if (sweeps) partitions = partitioners_to_sweep();
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
      save_vector(*e, "--save-y", options.save_y, options.precision, measured.y.data(), session);
    }
    save_tuning(options, pattern, report, session.outputs);
  });
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// One combination of kernels, transport and graph, measured, checked and reported (one_case.hpp).
#include "miniapp/commands/one_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "miniapp/bench/describe.hpp"
#include "miniapp/bench/expected.hpp"
#include "miniapp/bench/trace.hpp"
#include "miniapp/commands/combinations.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

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
  report.performance = describe_performance(report.matrix, precision,
                                            measurement.timing.median_seconds, e.options.vectors);
  if (measurement.timing.batches == 0) return;  // a part of one is all there is
  report_telemetry(e,
                   static_cast<double>(measurement.timing.batches) * measurement.timing.iterations,
                   static_cast<double>(report.kernel->flops), report);
  if (!e.options.hdf5.empty()) {
    report.ranks = describe_ranks(comm, e.multiplied(), e.exchanged(), measurement.own);
    report.ranks->communication =
        describe_communication(comm, e.exchanged(), site.nodes, report.partition->name, precision);
    report.ranks->communication.entry_bytes *= e.options.vectors;
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
      overlaps ? static_cast<double>(kernels.boundary->work(kernels.vectors).bytes) / work.bytes
               : 1;
  const LocalStatistics statistics = e.block->statistics();
  const PredictionRule* rule = find_format(format, e.site.device).predict;
  const bool gathers = rule == nullptr || !rule(statistics).in_panels;
  work.sectors = gathers ? awaited_sectors(statistics, e.site.device) * work.nonzeros : 0;
  work.traffic = traffic_of_parts(e.job.comm, flows, e.site.nodes)[e.job.comm.rank];
  work.entry_bytes = e.options.vectors * static_cast<int>(vector_value_bytes(e.options.precision));
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

}  // namespace

Verdict judge(const Experiment& e, const References& references, const ChosenKernels& kernels,
              const Measurement& measurement) {
  Verdict verdict =
      check(e, references, measurement.y, measurement.y_hashes, bits_of(kernels.kernels));
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

std::unique_ptr<const OtherProducts> try_others(const Experiment& e, const ProductSetting& setting,
                                                const ChosenKernels& kernels,
                                                ChosenTransport& transport) {
  const bool open = e.options.format == "auto" && e.options.schedule == Schedule::overlap;
  return open ? try_other_schedules(setting, kernels, transport) : nullptr;
}

std::string interruption(const Job& job, const RunReport& report) {
  std::string why = fmt::format("interrupted by a signal in phase '{}'", job.progress.phase());
  if (report.timing && report.timing->batches == 0) {
    why += fmt::format("; the times are those of the first {} products of a batch",
                       report.timing->iterations);
  }
  return why;
}

}  // namespace rowhalo

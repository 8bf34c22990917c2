// SPDX-License-Identifier: BSD-3-Clause
//
// The experiment of `rowhalo run` (run.hpp), one stage after the other. A signal that came to any
// rank is looked for after each stage, on all ranks alike; what there is then is reported.
#include "miniapp/commands/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/vector_file.hpp"
#include "kernels/gpu/device/bandwidth.hpp"
#include "miniapp/bench/describe.hpp"
#include "miniapp/bench/rank_report.hpp"
#include "miniapp/bench/trace.hpp"
#include "miniapp/commands/session.hpp"
#include "partition/base/numbers.hpp"
#include "partition/matrix/directory.hpp"

namespace rowhalo {

namespace {

class Run : public Session {
 public:
  Run(const CommandLine& line, const Job& job) : Session(line, job) { report_.command = "run"; }

  ExitCode execute() {
    begin();
    if (options_.dry) return dry();
    using Stage = void (Run::*)();
    const Stage stages[] = {&Run::read, &Run::distribute, &Run::prepare, &Run::measure_all};
    for (const Stage stage : stages) {
      (this->*stage)();
      if (interrupted()) break;
    }
    return finish();
  }

 private:
  void measure_all();
  ExitCode finish();

  bool measure_case(const ProductSetting& setting, const ChosenKernels& kernels,
                    const ChosenTransport& transport);
  void refuse_case(const std::string& format, const std::string& transport, bool graph,
                   const std::string& reason);
  void report_choice(const ChosenKernels& kernels, const ChosenTransport& transport,
                     const Measurement& measurement);
  void report_share_of_bandwidth();
  void conclude();
  void save_y();

  bool several() const { return options_.format == "all" || options_.halo == "all"; }
  bool graphs() const { return options_.graph && !entry_of(schedule_).baseline; }

  std::vector<std::byte> y_;              ///< of the choice that is reported
  std::optional<double> read_bandwidth_;  ///< of all devices, GB/s; 0: cannot be measured
};

/// Every combination that is asked for, mostly one.
void Run::measure_all() {
  DeviceClock clock(device_.site.device, stream());
  const Measuring measuring{comm_, clock, progress_, watchdog_};
  const ProductSetting setting{measuring,    matrix_,
                               *block_,      plan_,
                               device_.site, stream(),
                               stored_x_,    {options_.poison, 1e-6 * options_.jitter_microseconds},
                               schedule_,    columns_.get()};
  std::vector<std::string> names{options_.format};
  if (options_.format == "all") names = usable_formats(device_.site.device);
  for (const std::string& name : names) {
    phase("convert");
    const FormatRequest request{name, options_.boundary_format,
                                graphs_on(device_.site.device, graphs())};
    ChosenKernels kernels;
    std::optional<AgreedError> refusal;
    const double seconds = timed([&] {
      if (options_.format == "all") {
        refusal = name_kernels(setting, request, kernels);
      } else {
        kernels = choose_kernels(setting, request);
      }
    });
    if (refusal) {
      refuse_case(name, "", false, reason_of(*refusal, name));
      continue;
    }
    report_.setup.convert_seconds = std::max(report_.setup.convert_seconds, seconds);

    std::vector<ChosenTransport> transports;
    if (options_.halo == "all") {
      for (const TransportVariant& variant : usable_transports(device_.site, graphs())) {
        transports.push_back({variant.entry->name, variant.graph, {}});
      }
    } else {
      phase("choose transport");
      transports = {choose_transport(setting, options_.halo, graphs(), kernels.kernels)};
    }
    for (const ChosenTransport& transport : transports) {
      if (!measure_case(setting, kernels, transport)) return;
    }
  }
  if (!report_.timing) {
    throw AgreedError(ExitCode::usage,
                      "--format all, --halo all: every combination was refused; the last: " +
                          report_.cases.back().reason);
  }
  conclude();
}

/// What could not run, in the table of several.
void Run::refuse_case(const std::string& format, const std::string& transport, bool graph,
                      const std::string& reason) {
  report_.cases.push_back({format, transport, graph, {}, {}, 0, 0, true, reason});
}

/// False when a signal has ended it.
bool Run::measure_case(const ProductSetting& setting, const ChosenKernels& kernels,
                       const ChosenTransport& transport) {
  phase("measure");
  std::optional<Products> products;
  try {
    products.emplace(setting, kernels.kernels,
                     TransportVariant{&find_transport(transport.name), transport.graph},
                     options_.alpha, options_.beta);
  } catch (const AgreedError& refusal) {
    if (!several()) throw;
    refuse_case(kernels.interior, transport.name, transport.graph, refusal.what());
    return true;
  }
  Measurement measurement = measure(setting, *products, batch_options(), options_.beta, stored_y0_);
  if (!options_.trace.empty() && !measurement.interrupted) {
    phase("trace");
    trace_ = trace_products(setting, *products, report_.provenance);
  }
  products->close();
  if (report_.memory.peak_bytes_max_rank == 0) {
    report_.memory.peak_bytes_max_rank = peak_host_bytes(comm_);
  }
  if (measurement.interrupted) {
    if (!report_.timing) report_choice(kernels, transport, measurement);
    return false;
  }
  std::string verdict;
  ValidationReport validation = check(measurement.y, measurement.y_hash, kernels.kernels, verdict);
  if (entry_of(kernels.schedule).baseline) {
    validation.note +=
        fmt::format("{}{} sums up rows in two parts: compare no y_hash",
                    validation.note.empty() ? "" : "; ", entry_of(kernels.schedule).name);
  }
  std::string fault = sequence_fault(measurement, kernels.kernels.repeatable);
  if (fault.empty() && options_.beta != 0) {
    fault = repeated_fault(measurement.checked.y, measurement.checked.products);
  }
  if (!fault.empty()) {
    validation.passed = false;
    verdict = fault;
  }
  if (several()) {
    report_.cases.push_back({kernels.interior, transport.name, transport.graph,
                             measurement.timing.median_seconds, measurement.timing.exposed_seconds,
                             validation.max_error_ratio, validation.y_hash, validation.passed,
                             verdict, validation.rows_unchecked});
  }
  const bool faster =
      !report_.timing || measurement.timing.median_seconds < report_.timing->median_seconds;
  const bool better = !report_.validation || (validation.passed && !report_.validation->passed);
  if (better || (faster && validation.passed == report_.validation->passed)) {
    report_choice(kernels, transport, measurement);
    report_.validation = validation;
    report_.verdict = verdict;
    y_ = std::move(measurement.y);
  }
  return true;
}

void Run::report_choice(const ChosenKernels& kernels, const ChosenTransport& transport,
                        const Measurement& measurement) {
  report_.kernel = describe_kernel(comm_, kernels.kernels, device_.site.device, options_.precision);
  report_.kernel->format = kernels.interior;
  report_.kernel->boundary_format = kernels.boundary;
  report_.kernel->candidates = kernels.candidates;
  report_.kernel->choice = kernels.cost;
  report_.halo->transport = transport.name;
  report_.halo->graph = transport.graph;
  report_.halo->candidates = transport.candidates;
  report_.halo->sent_between_nodes =
      describe_sent(comm_, *report_.halo, measurement.sent_between_nodes, options_.precision);
  report_.halo->schedule = entry_of(kernels.schedule).name;
  report_.halo->poison = options_.poison;
  report_.halo->jitter_seconds = 1e-6 * options_.jitter_microseconds;
  report_.timing = measurement.timing;
  if (!options_.hdf5.empty()) {
    report_.ranks = describe_ranks(comm_, matrix_, plan_, measurement.own);
    report_.ranks->communication = describe_communication(
        comm_, plan_, device_.site.nodes, report_.partition->name, options_.precision);
  }
  report_.performance =
      describe_performance(report_.matrix, options_.precision, measurement.timing.median_seconds);
  if (device_.site.device == Device::gpu) {
    report_.memory.device_bytes_max_rank =
        max_over_ranks(comm_, free_bytes_before_ - free_device_bytes());
    report_share_of_bandwidth();
  }
}

/// Against the devices' read bandwidth, measured once; not where ranks share one or it is nearly
/// full.
void Run::report_share_of_bandwidth() {
  constexpr std::int64_t needed_bytes = std::int64_t{4} << 30;
  if (!read_bandwidth_) {
    const bool possible = !device_.site.shared && free_device_bytes() > needed_bytes;
    const bool everywhere = max_over_ranks(comm_, std::int64_t{!possible}) == 0;
    read_bandwidth_ = everywhere ? sum_reals_over_ranks(comm_, measure_bandwidth().read) : 0;
  }
  if (*read_bandwidth_ == 0) return;
  report_.performance->read_bandwidth_gbytes = *read_bandwidth_;
  report_.performance->share_of_read_bandwidth = static_cast<double>(report_.kernel->bytes) * 1e-9 /
                                                 report_.timing->median_seconds / *read_bandwidth_;
}

/// The why of the RESULT line when everything has been measured.
void Run::conclude() {
  ValidationReport& validation = *report_.validation;
  const auto failed = std::count_if(report_.cases.begin(), report_.cases.end(),
                                    [](const CaseReport& one) { return !one.passed; });
  if (failed > 0) {
    validation.passed = false;
    report_.verdict = fmt::format("{} of {} combinations failed", failed, report_.cases.size());
  } else if (validation.passed) {
    const std::string against =
        validation.against == "all" ? "petsc and reference" : validation.against;
    report_.verdict = validation.against == "none" ? "not validated" : "y agrees with " + against;
    if (several()) report_.verdict += fmt::format(", {} combinations", report_.cases.size());
    std::int64_t unchecked = validation.rows_unchecked;
    for (const CaseReport& one : report_.cases) unchecked = std::max(unchecked, one.rows_unchecked);
    if (unchecked > 0) report_.verdict += ", " + unchecked_text(unchecked);
  }
}

void Run::save_y() {
  if (options_.save_y.empty()) return;
  phase("save y");
  std::vector<double> y(matrix_.owned_rows);
  for (std::size_t row = 0; row < y.size(); ++row) {
    y[row] = load(vector_type(options_.precision), y_.data(), static_cast<std::int64_t>(row));
  }
  const std::vector<double> share =
      scatter<double>(comm_, matrix_.info.rows, matrix_.source_rows, y);
  outputs_.attempt("--save-y", [&] {
    write_vector(options_.save_y, share, options_.precision, comm_, progress_);
  });
}

ExitCode Run::finish() {
  ExitCode code = ExitCode::fine;
  if (report_.status == RunStatus::interrupted) {
    report_.verdict = "interrupted by a signal in phase '" + std::string(progress_.phase()) + "'";
    code = ExitCode::run_time;
  } else if (!report_.validation->passed) {
    report_.status = RunStatus::failed;
    code = ExitCode::validation;
  }
  write_report();
  if (report_.status != RunStatus::interrupted) save_y();
  return outputs_.finish(report_, code);
}

}  // namespace

ExitCode run(const CommandLine& line, const Job& job) {
  return Run(line, job).execute();
}

}  // namespace rowhalo

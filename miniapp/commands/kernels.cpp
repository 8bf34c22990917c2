// SPDX-License-Identifier: BSD-3-Clause
//
// Formats side by side (`rowhalo kernels`): the product of the whole local matrix, called and, on
// a GPU, replayed from a graph. What did not fit or was refused stays in the table with its reason.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/gpu/conversion/coordinates.hpp"
#include "kernels/gpu/device/bandwidth.hpp"
#include "miniapp/bench/describe.hpp"
#include "miniapp/commands/one_product.hpp"
#include "miniapp/commands/references.hpp"
#include "miniapp/tune/choose.hpp"

namespace rowhalo {

namespace {

double best_seconds(const FormatReport& format) {
  return std::min(*format.seconds, format.graph_seconds.value_or(*format.seconds));
}

/// The fastest product of the formats so far; empty before the first.
std::optional<double> best_seconds(const std::vector<FormatReport>& formats) {
  std::optional<double> best;
  for (const FormatReport& format : formats) {
    if (format.seconds) best = std::min(best_seconds(format), best.value_or(best_seconds(format)));
  }
  return best;
}

/// Twice the time of the best so far or more: such a format is measured more briefly. Not in a
/// sweep, which wants all its points.
bool far_behind(const MeasureOptions& options, std::optional<double> best, double seconds) {
  constexpr double factor = 2;
  return !options.measuring_given && options.sweep.empty() && best && seconds > factor * *best;
}

/// How products that take about `seconds` are measured: as the options say; else 20 batches of
/// 2 ms, but 3 where the format is far behind: what is slow shall not hold up the others. (36 rows
/// of 17 thousand entries each took a minute on a GPU.)
BatchOptions batches_for(const Experiment& e, std::optional<double> best, double seconds) {
  constexpr double batch_seconds = 2e-3, most_products = 1 << 20;
  constexpr int batches_of_slow = 3;
  BatchOptions batches = e.options;
  if (!e.options.measuring_given) {
    const double products = std::ceil(batch_seconds / std::max(seconds, 1e-9));
    batches = {static_cast<int>(std::min(products, most_products)),
               far_behind(e.options, best, seconds) ? batches_of_slow : e.options.batches, 0, 0};
  }
  batches.watch = e.machine.telemetry.get();
  return batches;
}

/// What --format names, or --sweep.
std::vector<std::string> studied_formats(const RunOptions& options, Device device) {
  std::vector<std::string> names;
  if (options.sweep.empty()) {
    names = named_formats(options.format, device);
    if (options.format != "all") return names;
    if (!options.transpose) std::erase(names, "cusparse-transposed");  // of use only beside ours
    names.emplace_back("auto");
    return names;
  }
  names.emplace_back("csr-scalar");
  for (const int threads : {2, 4, 8, 16, 32}) {
    names.push_back(fmt::format("csr-vector:threads={}", threads));
  }
  names.push_back("csr-vector");
  return names;
}

/// Times of products, and the y of one.
struct TimedProduct {
  BatchTimes times;
  std::vector<std::byte> y;
};

/// `graph`: products per graph, or 1 for one by one. `best`: as in far_behind. `seconds`: of one
/// product as far as known.
TimedProduct time_product(const Experiment& e, const ProductSetting& setting,
                          const LocalKernels& kernels, int graph, std::optional<double> best,
                          std::optional<double> seconds) {
  constexpr double estimate_budget = 1e-3;
  OneProduct one(e, kernels);
  TimedProduct timed;
  timed.y.resize(e.stored_y0.size());  // afterwards there may be no memory for it
  const auto product = [&](std::int64_t) { one.apply(); };
  ProductSequence products(product, setting.stream, graph);
  if (!seconds && !e.options.measuring_given) {
    seconds = estimate_seconds(setting.measuring, estimate_budget, products);
  }
  const double expected = seconds.value_or(0);
  timed.times = measure_batches(setting.measuring, batches_for(e, best, expected), products);
  const double median = timed.times.median();
  if (far_behind(e.options, best, expected) && !far_behind(e.options, best, median)) {
    timed.times = measure_batches(setting.measuring, batches_for(e, best, median), products);
  }

  one.reset();
  if (graph > 1 && e.options.beta == 0) {
    products.run(products.step());
  } else {
    product(0);
  }
  one.copy_y(timed.y);
  return timed;
}

/// Median time of one product after the caches were filled with something else; empty where there
/// is no memory for that.
std::optional<double> time_cold_product(const Experiment& e, const Measuring& measuring,
                                        const LocalKernels& kernels) try {
  constexpr std::size_t flushed_bytes = std::size_t{512} << 20;  // more than any cache holds
  constexpr int products = 11;
  const Device device = e.site.device;
  OneProduct one(e, kernels);
  const VectorMemory flushed(device, flushed_bytes);
  std::vector<double> seconds;
  for (int k = 0; k < products; ++k) {
    if (k > 0 && e.job.progress.stop_requested()) break;
    set_bytes(device, flushed.data(), k, flushed_bytes);
    measuring.clock.start();
    one.apply();
    seconds.push_back(measuring.clock.stop());
    e.job.progress.tick();
  }
  return median(std::move(seconds));
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

/// Median time in which a kernel of that format takes new values from the CSR arrays; empty where
/// it takes none, or no memory is left for it.
std::optional<double> time_refill(const Experiment& e, const ProductSetting& setting,
                                  const std::string& name) try {
  constexpr int refills = 7;
  const Spec spec = Spec::parse(name, "--format");
  const FormatEntry& format = find_format(spec.name(), e.site.device);
  if (!format.refillable) return std::nullopt;
  CsrView matrix = e.block->view();
  matrix.refillable = true;
  const std::unique_ptr<SpmvKernel> kernel =
      make_kernel(format, matrix, all_rows(matrix.rows), spec);
  std::vector<double> seconds;
  kernel->refill(setting.stream);  // which nobody looks at: caches and clocks are warm after it
  for (int k = 0; k < refills && !e.job.progress.stop_requested(); ++k) {
    setting.measuring.clock.start();
    kernel->refill(setting.stream);
    seconds.push_back(setting.measuring.clock.stop());
    e.job.progress.tick();
  }
  if (seconds.empty()) return std::nullopt;
  return median(std::move(seconds));
} catch (const InputError&) {
  return std::nullopt;
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

/// What a format says of itself, before any product.
void describe_work(const ChosenKernels& chosen, const MatrixReport& matrix, FormatReport& format) {
  KernelWork work = chosen.kernels.work();
  if (chosen.cost) {
    work.setup_seconds = chosen.cost->seconds;
    const std::string own = work.parameters.empty() ? "" : "," + work.parameters;
    work.parameters = fmt::format("format={}{}", chosen.interior, own);
  }
  format.vectors_at_once = chosen.kernels.layout() == Layout::column ? 1 : chosen.kernels.vectors;
  format.bytes = work.bytes;
  format.footprint_bytes = work.footprint_bytes;
  format.setup_seconds = work.setup_seconds;
  format.parameters = work.parameters;
  format.coalescing = work.coalescing;
  format.balance = work.balance;
  if (matrix.nonzeros == 0) return;
  const auto nonzeros = static_cast<double>(matrix.nonzeros);
  format.bytes_per_nonzero = static_cast<double>(work.matrix_bytes) / nonzeros;
  format.padding = static_cast<double>(work.stored_entries) / nonzeros - 1;
}

/// What follows from its times.
void describe_rates(const RunReport& report, Precision precision, FormatReport& format) {
  const double seconds = best_seconds(format);
  const PerformanceReport rates =
      describe_performance(report.matrix, precision, seconds, report.vectors);
  format.seconds_per_vector = seconds / report.vectors;
  format.gflops = rates.gflops;
  format.gbytes_per_second = rates.gbytes_per_second;
  format.setup_products = format.setup_seconds / seconds;
  if (format.refill_seconds) format.refill_products = *format.refill_seconds / seconds;
  if (report.bandwidth) {
    format.share_of_read_bandwidth =
        static_cast<double>(format.bytes) * 1e-9 / seconds / report.bandwidth->read;
  }
}

/// One row of the table; `report` has those before it. `references`: computed when first needed.
FormatReport measure_format(const Experiment& e, const ProductSetting& setting,
                            const std::string& name, const RunReport& report,
                            std::optional<References>& references) {
  e.job.progress.phase("measure formats");
  FormatReport format;
  format.name = name;
  const Device device = e.site.device;
  const FormatRequest request{name, "", graphs_on(device, e.options.graph)};
  ChosenKernels chosen;
  if (name == "auto") {
    chosen = choose_kernels(setting, request);
    format.candidates = chosen.candidates;
  } else {
    format.baseline = find_format(Spec::parse(name, "--format").name(), device).baseline;
    if (const auto refusal = name_kernels(setting, request, chosen)) {
      format.outcome = outcome_of(*refusal);
      format.reason = refusal->reason();
      return format;
    }
  }
  describe_work(chosen, report.matrix, format);

  const std::optional<double> best = best_seconds(report.formats);
  const TimedProduct called = time_product(e, setting, chosen.kernels, 1, best, {});
  if (called.times.interrupted) {
    format.outcome = Outcome::interrupted;
    format.reason = "interrupted by a signal";
    return format;
  }
  format.seconds = called.times.median();
  format.batches = static_cast<int>(called.times.seconds.size());
  std::vector<std::byte> graph_y;
  const bool brief = far_behind(e.options, best, *format.seconds) && *format.seconds > 1e-3;
  if (request.graphs == Graphs::on && !brief) {
    TimedProduct replayed = time_product(e, setting, chosen.kernels, graph_length(*format.seconds),
                                         best, format.seconds);
    format.graph_seconds = replayed.times.median();
    graph_y = std::move(replayed.y);
  }
  if (e.options.cold) {
    format.cold_seconds = time_cold_product(e, setting.measuring, chosen.kernels);
  }
  if (!format.baseline && !brief) {
    format.refill_seconds = time_refill(e, setting, chosen.interior);
  }
  describe_rates(report, e.options.precision, format);
  if (!references) references = compute_references(e);
  for (int k = 0; k < e.options.vectors; ++k) {
    const std::byte* y = called.y.data() + k * (called.y.size() / e.options.vectors);
    format.y_hashes.push_back(hash_vector(e.job.comm, e.matrix, e.options.precision, y));
  }
  format.y_hash = format.y_hashes.front();
  const auto [validation, fault] =
      check(e, *references, called.y, format.y_hashes, bits_of(chosen.kernels));
  format.max_error_ratio = validation.max_error_ratio;
  if (!validation.passed) format.outcome = Outcome::wrong;
  format.rows_unchecked = validation.rows_unchecked;
  format.reason = fault;
  if (chosen.kernels.repeatable && !graph_y.empty() && graph_y != called.y) {
    format.outcome = Outcome::wrong;
    format.reason = "the product from a graph differs from the called one";
  }
  return format;
}

/// On a GPU: its bandwidth, and how long CSR takes from coordinates.
void measure_device(const Experiment& e, RunReport& report) {
  if (e.site.device == Device::cpu) return;
  e.job.progress.phase("measure bandwidth");
  const DeviceBandwidth bandwidth = measure_bandwidth();
  report.bandwidth = {bandwidth.read, bandwidth.copy, bandwidth.triad};
  constexpr std::int64_t most_bytes_per_nonzero = 80;  // coordinates, CSR, and what sorting takes
  const CsrView& matrix = e.block->view();
  if (free_device_bytes() > most_bytes_per_nonzero * matrix.nonzeros) {
    report.setup.coo_to_csr_seconds = measure_csr_of_coordinates(matrix);
  }
}

/// Fastest first; a sweep in the order of the widths. Ends early when a signal has come.
void measure_formats(const Experiment& e, RunReport& report) {
  measure_device(e, report);
  const Device device = e.site.device;
  ProductSetting setting = e.products();
  setting.schedule = Schedule::blocking;
  std::optional<References> references;
  for (const std::string& name : studied_formats(e.options, device)) {
    if (interrupted(e.job, report)) break;
    FormatReport format;
    try {
      format = measure_format(e, setting, name, report, references);
    } catch (const std::bad_alloc& lack) {  // the others keep their figures
      format.name = name;
      format.outcome = Outcome::no_memory;
      format.reason = lack_of_memory(e.job.comm, lack);
    }
    report.formats.push_back(std::move(format));
  }
  interrupted(e.job, report);
  report_telemetry(e, 0, 0, report);
  if (!e.options.sweep.empty()) return;
  std::ranges::stable_sort(report.formats, {}, [](const FormatReport& format) {
    return format.seconds ? best_seconds(format) : std::numeric_limits<double>::infinity();
  });
}

/// The why of the RESULT line, and the exit status.
ExitCode conclude_study(const RunOptions& options, RunReport& report) {
  const auto failed = std::ranges::count(report.formats, Outcome::wrong, &FormatReport::outcome);
  const auto measured = std::ranges::count_if(
      report.formats, [](const FormatReport& format) { return format.seconds.has_value(); });
  if (report.status == RunStatus::interrupted) {
    report.verdict = "interrupted by a signal";
    return ExitCode::run_time;
  }
  if (failed > 0) {
    report.status = RunStatus::failed;
    report.verdict = fmt::format("{} of {} formats gave a wrong y", failed, measured);
    return ExitCode::validation;
  }
  if (measured == 0) {
    report.status = RunStatus::failed;
    report.verdict = fmt::format("no format can be used: {}", report.formats.front().reason);
    return ExitCode::usage;
  }
  report.verdict =
      fmt::format("{} formats measured, y {}", measured,
                  options.validate == Against::none ? "not validated" : "right in each");
  const std::int64_t unchecked =
      std::ranges::max(report.formats, {}, &FormatReport::rows_unchecked).rows_unchecked;
  if (unchecked > 0) report.verdict += ", " + unchecked_text(unchecked);
  return ExitCode::fine;
}

}  // namespace

ExitCode compare_kernels(Session& session) {
  const RunOptions& options = session.line.run;
  const Job& job = session.job;
  RunReport& report = session.report;
  if (job.comm.size != 1) {
    throw AgreedError(ExitCode::usage,
                      fmt::format("kernels compares formats on one rank, not on {}; start it with "
                                  "one rank, or use run --format all",
                                  job.comm.size));
  }
  const Machine machine = begin(session, Purpose::product);
  if (!options.sweep.empty() && machine.device.site.device != Device::gpu) {
    throw AgreedError(ExitCode::usage,
                      "--sweep threads: threads per row are a matter of csr-vector on a GPU, and "
                      "this run is on the CPU; leave it out");
  }
  if (options.dry) return dry_run(options, machine, session);

  DistributedCsr matrix = read_matrix(options, job, report);
  const Experiment experiment(options, job, machine, std::move(matrix), report);
  report.partition.reset();  // of one rank
  report.halo.reset();
  measure_formats(experiment, report);
  return finish(session, conclude_study(options, report));
}

}  // namespace rowhalo

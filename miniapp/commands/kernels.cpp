// SPDX-License-Identifier: BSD-3-Clause
//
// Formats side by side (kernels.hpp): the product of the whole local matrix, called and, on
// a GPU, replayed from a graph. What did not fit or was refused stays in the table with its reason.
#include "miniapp/commands/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/gpu/conversion/coordinates.hpp"
#include "kernels/gpu/device/bandwidth.hpp"
#include "miniapp/bench/describe.hpp"
#include "miniapp/commands/session.hpp"

namespace rowhalo {

namespace {

double best_seconds(const FormatReport& format) {
  return std::min(*format.seconds, format.graph_seconds.value_or(*format.seconds));
}

class KernelStudy : public Session {
 public:
  KernelStudy(const CommandLine& line, const Job& job) : Session(line, job) {
    report_.command = "kernels";
  }

  ExitCode execute() {
    if (comm_.size != 1) {
      throw AgreedError(
          ExitCode::usage,
          fmt::format("kernels compares formats on one rank, not on {}; start it with "
                      "one rank, or use run --format all",
                      comm_.size));
    }
    begin();
    if (!options_.sweep.empty() && device_.site.device != Device::gpu) {
      throw AgreedError(ExitCode::usage,
                        "--sweep threads: threads per row are a matter of csr-vector on a GPU, and "
                        "this run is on the CPU; leave it out");
    }
    if (options_.dry) return dry();
    read();
    distribute();
    report_.partition.reset();
    report_.halo.reset();
    prepare();
    measure_formats();
    return finish();
  }

 private:
  /// What --format names, or --sweep.
  std::vector<std::string> studied_formats() const;
  void measure_formats();
  FormatReport measure_format(const ProductSetting& setting, const std::string& name);
  /// How products that take about `seconds` are measured.
  BatchOptions batches_for(double seconds) const;
  bool far_behind(double seconds) const;
  /// Times of products and the y of one; `graph`: products a graph, or 0 for one by one. `seconds`:
  /// of one product as far as known.
  BatchTimes time_product(const ProductSetting& setting, const LocalKernels& kernels, int graph,
                          std::optional<double> seconds, std::vector<std::byte>& y);
  /// Median time of one product after the caches were filled with something else.
  double time_cold_product(const ProductSetting& setting, const LocalKernels& kernels);
  ExitCode finish();

  std::optional<double> best_seconds_;  ///< of a product, of the formats so far
};

std::vector<std::string> KernelStudy::studied_formats() const {
  std::vector<std::string> names;
  if (options_.sweep.empty()) {
    names = named_formats(options_.format, device_.site.device);
    if (options_.format == "all") names.emplace_back("auto");
    return names;
  }
  names.emplace_back("csr-scalar");
  for (const int threads : {2, 4, 8, 16, 32}) {
    names.push_back(fmt::format("csr-vector:threads={}", threads));
  }
  names.push_back("csr-vector");
  return names;
}

void KernelStudy::measure_formats() {
  const Device device = device_.site.device;
  DeviceClock clock(device, stream());
  const Measuring measuring{comm_, clock, progress_, watchdog_};
  const ProductSetting setting{measuring, matrix_, *block_,           plan_, device_.site, stream(),
                               stored_x_, {},      Schedule::blocking};
  if (device == Device::gpu) {
    phase("measure bandwidth");
    const DeviceBandwidth bandwidth = measure_bandwidth();
    report_.bandwidth = {bandwidth.read, bandwidth.copy, bandwidth.triad};
    constexpr std::int64_t most_bytes_per_nonzero = 80;  // coordinates, CSR, and what sorting takes
    if (free_device_bytes() > most_bytes_per_nonzero * block_->view().nonzeros) {
      report_.setup.coo_to_csr_seconds = measure_csr_of_coordinates(block_->view());
    }
  }
  for (const std::string& name : studied_formats()) {
    report_.formats.push_back(measure_format(setting, name));
    if (interrupted()) break;
  }
  if (!options_.sweep.empty()) return;  // in the order of the widths
  std::stable_sort(report_.formats.begin(), report_.formats.end(),
                   [](const FormatReport& a, const FormatReport& b) {
                     if (!a.seconds || !b.seconds)
                       return a.seconds.has_value() > b.seconds.has_value();
                     return best_seconds(a) < best_seconds(b);
                   });
}

FormatReport KernelStudy::measure_format(const ProductSetting& setting, const std::string& name) {
  phase("measure formats");
  FormatReport format;
  format.name = name;
  const Device device = setting.site.device;
  const FormatRequest request{name, "", graphs_on(device, options_.graph)};
  ChosenKernels chosen;
  if (name == "auto") {
    chosen = choose_kernels(setting, request);
    format.candidates = chosen.candidates;
  } else {
    format.baseline = find_format(Spec::parse(name, "--format").name(), device).baseline;
    if (const auto refusal = name_kernels(setting, request, chosen)) {
      format.reason = reason_of(*refusal, name);
      return format;
    }
  }
  KernelWork work = chosen.kernels.work();
  if (chosen.cost) {
    work.setup_seconds = chosen.cost->seconds;
    const std::string own = work.parameters.empty() ? "" : "," + work.parameters;
    work.parameters = fmt::format("format={}{}", chosen.interior, own);
  }
  format.bytes = work.bytes;
  format.footprint_bytes = work.footprint_bytes;
  format.setup_seconds = work.setup_seconds;
  format.parameters = work.parameters;
  format.coalescing = work.coalescing;
  format.balance = work.balance;
  if (report_.matrix.nonzeros > 0) {
    const auto nonzeros = static_cast<double>(report_.matrix.nonzeros);
    format.bytes_per_nonzero = static_cast<double>(work.matrix_bytes) / nonzeros;
    format.padding = static_cast<double>(work.stored_entries) / nonzeros - 1;
  }

  std::vector<std::byte> y, graph_y;
  const BatchTimes called = time_product(setting, chosen.kernels, 0, {}, y);
  format.seconds = called.median();
  format.batches = static_cast<int>(called.seconds.size());
  if (request.graphs == Graphs::on && !(far_behind(*format.seconds) && *format.seconds > 1e-3)) {
    const int products = graph_length(*format.seconds);
    format.graph_seconds =
        time_product(setting, chosen.kernels, products, format.seconds, graph_y).median();
  }
  if (options_.cold) format.cold_seconds = time_cold_product(setting, chosen.kernels);
  const double seconds = best_seconds(format);
  best_seconds_ = std::min(seconds, best_seconds_.value_or(seconds));
  const PerformanceReport rates = describe_performance(report_.matrix, options_.precision, seconds);
  format.gflops = rates.gflops;
  format.gbytes_per_second = rates.gbytes_per_second;
  format.setup_products = work.setup_seconds / seconds;
  if (report_.bandwidth) {
    format.share_of_read_bandwidth =
        static_cast<double>(work.bytes) * 1e-9 / seconds / report_.bandwidth->read;
  }
  format.y_hash = hash_vector(comm_, matrix_, options_.precision, y.data());
  const ValidationReport validation = check(y, format.y_hash, chosen.kernels, format.reason);
  format.max_error_ratio = validation.max_error_ratio;
  format.passed = validation.passed;
  format.rows_unchecked = validation.rows_unchecked;
  if (chosen.kernels.repeatable && !graph_y.empty() && graph_y != y) {
    format.passed = false;
    format.reason = "the product from a graph differs from the called one";
  }
  return format;
}

bool KernelStudy::far_behind(double seconds) const {
  constexpr double factor = 2;
  // A sweep wants all its points.
  return !options_.measuring_given && options_.sweep.empty() && best_seconds_ &&
         seconds > factor * *best_seconds_;
}

/// As the options say; else 20 batches of 2 ms, but 3 where the format is far behind: what is
/// slow shall not hold up the others. (36 rows of 17 thousand entries each took a minute on a GPU.)
BatchOptions KernelStudy::batches_for(double seconds) const {
  constexpr double batch_seconds = 2e-3, most_products = 1 << 20;
  constexpr int batches_of_slow = 3;
  if (options_.measuring_given) return batch_options();
  const double products = std::ceil(batch_seconds / std::max(seconds, 1e-9));
  return {static_cast<int>(std::min(products, most_products)),
          far_behind(seconds) ? batches_of_slow : options_.batches, 0, 0};
}

BatchTimes KernelStudy::time_product(const ProductSetting& setting, const LocalKernels& kernels,
                                     int graph, std::optional<double> seconds,
                                     std::vector<std::byte>& y) {
  constexpr double estimate_budget = 1e-3;
  const Device device = setting.site.device;
  const VectorMemory x(device, setting.x.size()), result(device, stored_y0_.size());
  copy_between(device, x.data(), setting.x.data(), setting.x.size());
  copy_between(device, result.data(), stored_y0_.data(), stored_y0_.size());
  HaloVector vector;
  vector.data = x.data();
  const auto product = [&](std::int64_t) {
    apply_local(kernels, options_.alpha, vector, options_.beta, result.data(), setting.stream);
  };
  ProductSequence products =
      graph > 0 ? ProductSequence(product, setting.stream, graph) : ProductSequence(product);
  if (!seconds && !options_.measuring_given) {
    seconds = estimate_seconds(setting.measuring, estimate_budget, products);
  }
  const double expected = seconds.value_or(0);
  BatchTimes times = measure_batches(setting.measuring, batches_for(expected), products);
  if (far_behind(expected) && !far_behind(times.median())) {
    times = measure_batches(setting.measuring, batches_for(times.median()), products);
  }

  copy_between(device, result.data(), stored_y0_.data(), stored_y0_.size());
  if (graph > 0 && options_.beta == 0) {
    products.run(products.step());
  } else {
    product(0);
  }
  if (device == Device::gpu) synchronize_device();
  y.resize(stored_y0_.size());
  copy_between(device, y.data(), result.data(), y.size());
  return times;
}

double KernelStudy::time_cold_product(const ProductSetting& setting, const LocalKernels& kernels) {
  constexpr std::size_t flushed_bytes = std::size_t{512} << 20;  // more than any cache holds
  constexpr int products = 11;
  const Device device = setting.site.device;
  const VectorMemory x(device, setting.x.size()), result(device, stored_y0_.size());
  const VectorMemory flushed(device, flushed_bytes);
  copy_between(device, x.data(), setting.x.data(), setting.x.size());
  copy_between(device, result.data(), stored_y0_.data(), stored_y0_.size());
  HaloVector vector;
  vector.data = x.data();
  std::vector<double> seconds;
  for (int k = 0; k < products; ++k) {
    set_bytes(device, flushed.data(), k, flushed_bytes);
    setting.measuring.clock.start();
    apply_local(kernels, options_.alpha, vector, options_.beta, result.data(), setting.stream);
    seconds.push_back(setting.measuring.clock.stop());
    progress_.tick();
  }
  std::nth_element(seconds.begin(), seconds.begin() + products / 2, seconds.end());
  return seconds[products / 2];
}

ExitCode KernelStudy::finish() {
  report_.memory.peak_bytes_max_rank = peak_host_bytes(comm_);
  const auto count = [this](auto property) {
    return std::count_if(report_.formats.begin(), report_.formats.end(), property);
  };
  const auto failed = count([](const FormatReport& format) { return !format.passed; });
  const auto measured =
      count([](const FormatReport& format) { return format.seconds.has_value(); });
  ExitCode code = ExitCode::fine;
  if (report_.status == RunStatus::interrupted) {
    report_.verdict = "interrupted by a signal";
    code = ExitCode::run_time;
  } else if (failed > 0) {
    report_.status = RunStatus::failed;
    report_.verdict = fmt::format("{} of {} formats gave a wrong y", failed, measured);
    code = ExitCode::validation;
  } else {
    report_.verdict = fmt::format("{} formats measured, y {}", measured,
                                  options_.validate == "none" ? "not validated" : "right in each");
    std::int64_t unchecked = 0;
    for (const FormatReport& one : report_.formats) {
      unchecked = std::max(unchecked, one.rows_unchecked);
    }
    if (unchecked > 0) report_.verdict += ", " + unchecked_text(unchecked);
  }
  write_report();
  return outputs_.finish(report_, code);
}

}  // namespace

ExitCode compare_kernels(const CommandLine& line, const Job& job) {
  return KernelStudy(line, job).execute();
}

}  // namespace rowhalo

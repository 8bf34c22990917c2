// SPDX-License-Identifier: BSD-3-Clause
//
// Sampling and its summary (telemetry.hpp).
#include "miniapp/machine/telemetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>

#include "partition/base/clock.hpp"
#include "partition/matrix/directory.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

namespace {

/// Counters of energy move every tenth of a second or so.
constexpr double least_energy_seconds = 5;
/// A limit in fewer samples than that is no warning.
constexpr double least_warned_share = 0.01;

/// The mean over one value more.
void extend_mean(double& mean, std::int64_t values_before, double value) {
  mean += (value - mean) / static_cast<double>(values_before + 1);
}

void extend(Spread& spread, std::int64_t values_before, double value) {
  spread.min = values_before == 0 ? value : std::min(spread.min, value);
  spread.max = values_before == 0 ? value : std::max(spread.max, value);
  extend_mean(spread.mean, values_before, value);
}

/// Empty where any of them is not known, or there is none.
std::optional<double> energy(double joules, double seconds) {
  if (!std::isfinite(joules) || seconds < least_energy_seconds) return std::nullopt;
  return joules;
}

std::optional<std::int64_t> number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

/// Zones are intel-rapl:P, also on AMD; their parts have other names, and those of intel-rapl-mmio
/// repeat them.
bool is_package(const std::filesystem::path& zone) {
  const std::string name = zone.filename();
  if (!name.starts_with("intel-rapl:")) return false;
  std::string label;
  std::ifstream(zone / "name") >> label;
  return label.starts_with("package");
}

}  // namespace

CpuEnergy::CpuEnergy(const std::filesystem::path& folder) {
  std::error_code absent;
  for (const auto& zone : std::filesystem::directory_iterator(folder, absent)) {
    if (!is_package(zone)) continue;
    const std::filesystem::path counter = zone.path() / "energy_uj";
    const auto range = number_in(zone.path() / "max_energy_range_uj"), now = number_in(counter);
    if (range && now) packages_.push_back({counter, *range, *now});
  }
}

double CpuEnergy::joules() {
  for (Package& package : packages_) {
    const auto now = number_in(package.counter);
    if (!now) continue;
    const std::int64_t wrapped = *now < package.last ? package.range : 0;
    joules_ += 1e-6 * static_cast<double>(*now - package.last + wrapped);
    package.last = *now;
  }
  return joules_;
}

Telemetry::Telemetry(const std::string& pci_id, bool reads_cpu, const std::string& nvml,
                     const std::filesystem::path& powercap) {
  if (!pci_id.empty()) {
    try {
      gpu_ = std::make_unique<NvmlGpu>(pci_id, nvml);
    } catch (const std::runtime_error&) {
      // Absent is fine.
    }
  }
  if (reads_cpu) {
    cpu_ = std::make_unique<CpuEnergy>(powercap);
    if (!cpu_->readable()) cpu_.reset();
  }
}

Telemetry::~Telemetry() {
  if (thread_.joinable()) stop();
}

double Telemetry::gpu_joules() const {
  return gpu_ ? gpu_->energy_joules() : not_told;
}

double Telemetry::cpu_joules() const {
  return cpu_ ? cpu_->joules() : not_told;
}

void Telemetry::start() {
  started_seconds_ = now_seconds();
  started_gpu_ = gpu_joules();
  started_cpu_ = cpu_joules();
  if (gpu_ || cpu_) {
    thread_ = std::jthread([this](const std::stop_token& ended) { sample_until(ended); });
  }
}

void Telemetry::stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  samples_.seconds += now_seconds() - started_seconds_;
  samples_.gpu_joules += gpu_joules() - started_gpu_;
  samples_.cpu_joules += cpu_joules() - started_cpu_;
}

void Telemetry::sample_until(const std::stop_token& ended) {
  const std::chrono::milliseconds period(gpu_ ? 100 : 60000);
  std::unique_lock lock(mutex_);
  do {  // once at least
    take_sample();
    ending_.wait_for(lock, ended, period, [] { return false; });
  } while (!ended.stop_requested());
}

void Telemetry::take_sample() {
  constexpr int samples_per_minute = 600;  // processors: before their counters wrap twice
  if (cpu_ && (!gpu_ || samples_.samples % samples_per_minute == 0)) cpu_->joules();
  if (!gpu_) return;
  const GpuState state = gpu_->state();
  const std::int64_t before = samples_.samples;
  extend(samples_.sm_clock_mhz, before, state.sm_clock_mhz);
  extend(samples_.power_watts, before, state.power_watts);
  extend_mean(samples_.memory_clock_mhz, before, state.memory_clock_mhz);
  samples_.temperature_celsius = std::max(state.temperature_celsius, samples_.temperature_celsius);
  for (std::size_t k = 0; k < clock_limits.size(); ++k) {
    if ((state.limits & clock_limits[k].bit) == 0) continue;
    extend_mean(samples_.limited_mhz[k], samples_.limited[k]++, state.sm_clock_mhz);
  }
  samples_.highest_sm_clock_mhz = gpu_->highest_sm_clock_mhz();
  samples_.power_limit_watts = gpu_->power_limit_watts();
  ++samples_.samples;
}

GpuTelemetry describe_gpu(const TelemetrySamples& samples) {
  GpuTelemetry gpu{samples, {}, {}, samples.highest_sm_clock_mhz, samples.power_limit_watts, {}};
  for (std::size_t k = 0; k < clock_limits.size(); ++k) {
    if (samples.limited[k] == 0) continue;
    gpu.throttling.push_back(
        {clock_limits[k].name,
         static_cast<double>(samples.limited[k]) / static_cast<double>(samples.samples),
         samples.limited_mhz[k]});
  }
  return gpu;
}

std::vector<std::string> throttle_warnings(const GpuTelemetry& gpu) {
  std::vector<std::string> warnings;
  for (const ThrottleReport& limit : gpu.throttling) {
    const auto named = [&](const ClockLimit& known) { return known.name == limit.reason; };
    const bool expected = std::ranges::find_if(clock_limits, named)->expected;
    if (expected || limit.share < least_warned_share) continue;
    warnings.push_back(fmt::format(
        "GPU {} on {} throttled: {}, {:.0f} of {:.0f} MHz in {:.0f} % of samples", gpu.pci_id,
        gpu.host, limit.reason, limit.sm_clock_mhz, gpu.highest_sm_clock_mhz, 100 * limit.share));
  }
  return warnings;
}

TelemetryReport describe_telemetry(const Comm& comm, const Telemetry& telemetry,
                                   const std::string& pci_id, const WatchedWork& work) {
  const TelemetrySamples own = telemetry.samples();
  TelemetryReport report;
  report.seconds = own.seconds;
  double gpu_joules = 0, cpu_joules = not_told;
  std::set<std::string> seen;
  const bool computes_on_gpus = !pci_id.empty();
  const std::vector<std::string> hosts = gather_texts(comm, host_name());
  const std::vector<std::string> pci_ids = gather_texts(comm, pci_id);
  const std::vector<TelemetrySamples> ranks = gather_on_root(comm, std::vector{own});
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const TelemetrySamples& samples = ranks[rank];
    if (std::isfinite(samples.cpu_joules)) {
      cpu_joules = (std::isfinite(cpu_joules) ? cpu_joules : 0) + samples.cpu_joules;
    }
    // Ranks may share a GPU.
    if (!computes_on_gpus || !seen.insert(hosts[rank] + " " + pci_ids[rank]).second) continue;
    gpu_joules += samples.gpu_joules;
    if (samples.samples == 0) continue;
    GpuTelemetry& gpu = report.gpus.emplace_back(describe_gpu(samples));
    gpu.host = hosts[rank];
    gpu.pci_id = pci_ids[rank];
    for (std::string& warning : throttle_warnings(gpu)) {
      report.warnings.push_back(std::move(warning));
    }
  }
  if (computes_on_gpus) report.gpu_joules = energy(gpu_joules, report.seconds);
  report.cpu_joules = energy(cpu_joules, report.seconds);
  const std::optional<double>& joules = computes_on_gpus ? report.gpu_joules : report.cpu_joules;
  if (joules && *joules > 0 && work.products > 0) {
    report.energy_per_product_joules = *joules / work.products;
    report.gflops_per_watt = 1e-9 * work.flops / *report.energy_per_product_joules;
  }
  return report;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What the machine was doing while batches were timed: clocks, power and temperature of its GPUs,
// and energy.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/report/field_types.hpp"

namespace rowhalo {

/// Minimum, mean, maximum over ranks, rows or samples.
struct Spread {
  double min = 0, mean = 0, max = 0;
};

/// A reason for which a GPU's clock was held down.
struct ThrottleReport {
  std::string reason;
  double share = 0;         ///< of the samples
  double sm_clock_mhz = 0;  ///< mean of these
};

/// What was read of a GPU again and again. NaN: the GPU does not tell.
struct GpuReadings {
  std::int64_t samples = 0;
  Spread sm_clock_mhz, power_watts;
  double memory_clock_mhz = 0;     ///< mean
  double temperature_celsius = 0;  ///< highest
};

struct GpuTelemetry : GpuReadings {
  std::string host, pci_id;
  double highest_sm_clock_mhz = 0;  ///< that it could have
  double power_limit_watts = 0;
  std::vector<ThrottleReport> throttling;
};

struct TelemetryReport {
  double seconds = 0;  ///< that were watched
  std::vector<GpuTelemetry> gpus;
  /// By energy counters, of all GPUs of the run, and of the processor packages of all its nodes;
  /// empty where they cannot be read or less than five seconds were watched.
  std::optional<double> gpu_joules, cpu_joules;
  /// Of what computed: GPUs, else processors.
  std::optional<double> energy_per_product_joules, gflops_per_watt;
  std::vector<std::string> warnings;  ///< of clocks that were held down
};

// Their fields in a report (field_types.hpp).

/// A spread over samples, of which there may be none that count.
struct SampledSpread {
  Spread spread;
};

void fields(const SampledSpread& s, auto&& field) {
  field("min", s.spread.min, "smallest; null: not told", finite_or_null);
  field("mean", s.spread.mean, "mean; null: not told", finite_or_null);
  field("max", s.spread.max, "largest; null: not told", finite_or_null);
}

void fields(const ThrottleReport& t, auto&& field) {
  field("reason", t.reason, "why the clock was held down");
  field("share", t.share, "of the samples", share);
  field("sm_clock_mhz", t.sm_clock_mhz, "mean of these samples (MHz)", finite_or_null);
}

void fields(const GpuTelemetry& g, auto&& field) {
  field("host", g.host, "where it is");
  field("pci_id", g.pci_id, "its place there");
  field("samples", g.samples, "samples, about ten per second");
  field("sm_clock_mhz", SampledSpread{g.sm_clock_mhz}, "clock of its multiprocessors (MHz)");
  field("highest_sm_clock_mhz", g.highest_sm_clock_mhz, "that it could have (MHz)", finite_or_null);
  field("memory_clock_mhz", g.memory_clock_mhz, "mean (MHz)", finite_or_null);
  field("power_watts", SampledSpread{g.power_watts},
        "power, which GPUs tell as a mean over up to a second (W)");
  field("power_limit_watts", g.power_limit_watts, "enforced power limit (W)", finite_or_null);
  field("temperature_celsius", g.temperature_celsius, "highest (degrees Celsius)", finite_or_null);
  field("throttling", g.throttling, "reasons for which its clock was held down");
}

void fields(const TelemetryReport& t, auto&& field) {
  field("seconds", t.seconds, "of timed batches, in which the samples were taken (seconds)");
  field("gpus", t.gpus, "every GPU of the run; empty: none, or NVML is absent");
  field("gpu_joules", t.gpu_joules,
        "energy of all GPUs by their counters; null: less than 5 s, or not readable (J)");
  field("cpu_joules", t.cpu_joules,
        "energy of the processor packages of all nodes by their counters; null: as gpu_joules (J)");
  field("energy_per_product_joules", t.energy_per_product_joules,
        "of the GPUs, or of the processors where these compute (J)");
  field("gflops_per_watt", t.gflops_per_watt, "10^9 operations per joule");
  field("warnings", t.warnings, "of clocks that were held down");
}

}  // namespace rowhalo

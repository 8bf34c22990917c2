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

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Watches the machine while batches, or a solver, are timed: a thread beside them samples this
// rank's GPU about ten times per second, and the energy of the processors once a minute; energy
// counters are read before and after, too.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "io/report/telemetry.hpp"
#include "miniapp/machine/nvml.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Energy of the processor packages of this node by their counters (powercap: RAPL, on Intel and
/// AMD), where the system lets this user read them.
class CpuEnergy {
 public:
  explicit CpuEnergy(const std::filesystem::path& folder = "/sys/class/powercap");

  bool readable() const { return !packages_.empty(); }
  /// Of all packages, since the constructor; to be called again before a counter has wrapped twice
  /// (minutes at full power). Most systems let only root read them.
  double joules();

 private:
  struct Package {
    std::filesystem::path counter;
    std::int64_t range, last;  ///< microjoules
  };

  std::vector<Package> packages_;
  double joules_ = 0;
};

/// What one rank has seen; may be sent as it is.
struct TelemetrySamples : GpuReadings {
  double seconds = 0;                                       ///< that were watched
  std::array<std::int64_t, clock_limits.size()> limited{};  ///< samples with this limit
  std::array<double, clock_limits.size()> limited_mhz{};    ///< mean clock in these
  double gpu_joules = 0, cpu_joules = 0;                    ///< NaN: not readable
  double highest_sm_clock_mhz = not_told, power_limit_watts = not_told;
};

/// Not to be used by several threads at once.
class Telemetry {
 public:
  /// `pci_id`: of this rank's GPU, empty for none. `reads_cpu`: this rank reads the processors of
  /// its node. What cannot be read is left out.
  Telemetry(const std::string& pci_id, bool reads_cpu, const std::string& nvml = nvml_library,
            const std::filesystem::path& powercap = "/sys/class/powercap");
  /// Watches nothing.
  Telemetry() = default;
  ~Telemetry();

  /// Begins to watch, until stop(). What is seen adds up.
  void start();
  void stop();
  /// What has been seen since the last reset().
  TelemetrySamples samples() const { return samples_; }
  void reset() { samples_ = {}; }

 private:
  void sample_until(const std::stop_token& ended);
  void take_sample();
  double gpu_joules() const;
  double cpu_joules() const;

  std::unique_ptr<NvmlGpu> gpu_;
  std::unique_ptr<CpuEnergy> cpu_;
  TelemetrySamples samples_;
  double started_seconds_ = 0, started_gpu_ = 0, started_cpu_ = 0;
  std::mutex mutex_;
  std::condition_variable_any ending_;
  std::jthread thread_;
};

/// Between start() and stop(); `telemetry` may be null.
class Watching {
 public:
  explicit Watching(Telemetry* telemetry) : telemetry_(telemetry) {
    if (telemetry_ != nullptr) telemetry_->start();
  }
  ~Watching() {
    if (telemetry_ != nullptr) telemetry_->stop();
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

 private:
  Telemetry* telemetry_;
};

/// What the run did while it was watched, for the energy per product.
struct WatchedWork {
  double products = 0;  ///< 0: not known
  double flops = 0;     ///< of one product, all ranks
};

/// Collective; the report is on rank 0. `pci_id` as in the constructor.
TelemetryReport describe_telemetry(const Comm& comm, const Telemetry& telemetry,
                                   const std::string& pci_id, const WatchedWork& work);

/// What one GPU's samples say, and whether its clock was held down: for tests and the above.
GpuTelemetry describe_gpu(const TelemetrySamples& samples);
/// Sentences about clocks that were held down by power, heat or hardware.
std::vector<std::string> throttle_warnings(const GpuTelemetry& gpu);

}  // namespace rowhalo

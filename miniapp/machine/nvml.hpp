// SPDX-License-Identifier: BSD-3-Clause
//
// NVIDIA's management library (NVML), which comes with the driver and is opened at run time:
// without it the program runs as well. Its functions and constants are declared here and in
// nvml.cpp, since its header is no part of many installations.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "io/report/system.hpp"
#include "partition/base/shared_library.hpp"

namespace rowhalo {

inline constexpr const char* nvml_library = "libnvidia-ml.so.1";

/// Why a clock is below the highest; the bit of an idle GPU is left out. A hardware slowdown comes
/// together with its cause.
struct ClockLimit {
  std::uint64_t bit;  ///< nvmlClocksEventReason...
  const char* name;
  bool expected;  ///< somebody set it: no warning
};
inline constexpr std::array<ClockLimit, 8> clock_limits{{{0x2, "clocks set", true},
                                                         {0x4, "power cap", false},
                                                         {0x8, "hardware slowdown", false},
                                                         {0x10, "sync boost", true},
                                                         {0x20, "thermal slowdown", false},
                                                         {0x40, "hardware thermal slowdown", false},
                                                         {0x80, "power brake", false},
                                                         {0x100, "display clocks", true}}};

/// Keeps NVML initialised while one lives.
class Nvml {
 public:
  /// Throws std::runtime_error where the library is absent or fails.
  explicit Nvml(const std::string& library = nvml_library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Whether `function` has filled in what its arguments point to; false, too, where the library
  /// lacks it.
  template <class... Arguments>
  bool ask(const char* function, Arguments... arguments) const {
    try {
      return library_.function<int(Arguments...)>(function)(arguments...) == success;
    } catch (const std::runtime_error&) {
      return false;
    }
  }
  /// Throws std::runtime_error naming `function` where it fails.
  template <class... Arguments>
  void demand(const char* function, Arguments... arguments) const {
    const int status = library_.function<int(Arguments...)>(function)(arguments...);
    if (status != success) fail(function, status);
  }

 private:
  static constexpr int success = 0;
  [[noreturn]] void fail(const char* function, int status) const;

  SharedLibrary library_;
};

/// What a GPU does not tell.
inline constexpr double not_told = std::numeric_limits<double>::quiet_NaN();

/// At one moment; not_told where the GPU does not tell.
struct GpuState {
  double sm_clock_mhz = not_told, memory_clock_mhz = not_told, power_watts = not_told,
         temperature_celsius = not_told;
  std::uint64_t limits = 0;  ///< bits of clock_limits
};

/// Clocks, power, temperature and energy of one GPU, and why its clock is held down.
class NvmlGpu {
 public:
  /// The GPU on the PCI bus at `pci_id`, dddd:bb:dd.f. Throws std::runtime_error where it is not
  /// known, or the library is absent.
  explicit NvmlGpu(const std::string& pci_id, const std::string& library = nvml_library);

  GpuState state() const;
  double highest_sm_clock_mhz() const;  ///< or not_told; likewise below
  double power_limit_watts() const;
  double energy_joules() const;  ///< since the driver was loaded

 private:
  template <class Value, class... Kind>
  double number(const char* function, Kind... kind) const;

  Nvml nvml_;
  struct NvmlDevice* device_ = nullptr;
};

/// All GPUs of this host and what lies between them, into `system`. Throws as Nvml does.
void list_gpus(SystemReport& system, const std::string& library = nvml_library);

}  // namespace rowhalo

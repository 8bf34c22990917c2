// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of NVML (nvml.hpp).
#include "miniapp/machine/nvml.hpp"

#include <fmt/format.h>

#include <vector>

namespace rowhalo {

namespace {

constexpr int success = 0;
constexpr unsigned sm_clock = 1, memory_clock = 2, gpu_temperature = 0, p2p_by_nvlink = 2;

/// nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3.
struct PciInfo {
  char old_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
/// nvmlMemory_t.
struct MemoryInfo {
  unsigned long long total, free, used;
};

/// nvmlGpuTopologyLevel_t.
std::string meeting_place(int level) {
  switch (level) {
    case 0:
      return "one board";
    case 10:
      return "one PCIe switch";
    case 20:
      return "several PCIe switches";
    case 30:
      return "PCIe host bridge";
    case 40:
      return "NUMA domain";
    case 50:
      return "between NUMA domains";
    default:
      return "unknown";
  }
}

}  // namespace

Nvml::Nvml(const std::string& library) : library_(library) {
  demand(function<int()>("nvmlInit_v2")(), "nvmlInit_v2");
}

Nvml::~Nvml() {
  function<int()>("nvmlShutdown")();
}

void Nvml::demand(int status, const char* call) const {
  if (status == success) return;
  throw std::runtime_error(
      fmt::format("{}: {}", call, function<const char*(int)>("nvmlErrorString")(status)));
}

NvmlGpu::NvmlGpu(const std::string& pci_id, const std::string& library)
    : nvml_(library),
      power_(nvml_.function<Number>("nvmlDeviceGetPowerUsage")),
      power_limit_(nvml_.function<Number>("nvmlDeviceGetEnforcedPowerLimit")),
      clock_(nvml_.function<NumberOfKind>("nvmlDeviceGetClockInfo")),
      highest_clock_(nvml_.function<NumberOfKind>("nvmlDeviceGetMaxClockInfo")),
      temperature_(nvml_.function<NumberOfKind>("nvmlDeviceGetTemperature")),
      limits_(nvml_.function<LongNumber>("nvmlDeviceGetCurrentClocksThrottleReasons")),
      energy_(nvml_.function<LongNumber>("nvmlDeviceGetTotalEnergyConsumption")) {
  const char* find = "nvmlDeviceGetHandleByPciBusId_v2";
  nvml_.demand(nvml_.function<int(const char*, Device*)>(find)(pci_id.c_str(), &device_), find);
}

double NvmlGpu::number(Number* function) const {
  unsigned value = 0;
  return function(device_, &value) == success ? value : not_told;
}

double NvmlGpu::number(NumberOfKind* function, unsigned kind) const {
  unsigned value = 0;
  return function(device_, kind, &value) == success ? value : not_told;
}

GpuState NvmlGpu::state() const {
  unsigned long long limits = 0;
  if (limits_(device_, &limits) != success) limits = 0;
  return {number(clock_, sm_clock), number(clock_, memory_clock), 1e-3 * number(power_),
          number(temperature_, gpu_temperature), limits};
}

double NvmlGpu::highest_sm_clock_mhz() const {
  return number(highest_clock_, sm_clock);
}

double NvmlGpu::power_limit_watts() const {
  return 1e-3 * number(power_limit_);
}

double NvmlGpu::energy_joules() const {
  unsigned long long millijoules = 0;
  return energy_(device_, &millijoules) == success ? 1e-3 * static_cast<double>(millijoules)
                                                   : not_told;
}

void list_gpus(SystemReport& system, const std::string& library) {
  using Device = struct NvmlDevice*;
  const Nvml nvml(library);
  char text[96] = "";
  nvml.demand(nvml.function<int(char*, unsigned)>("nvmlSystemGetDriverVersion")(text, sizeof(text)),
              "nvmlSystemGetDriverVersion");
  system.driver = text;
  unsigned count = 0;
  nvml.demand(nvml.function<int(unsigned*)>("nvmlDeviceGetCount_v2")(&count),
              "nvmlDeviceGetCount_v2");
  const auto find = nvml.function<int(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2");
  const auto name_of = nvml.function<int(Device, char*, unsigned)>("nvmlDeviceGetName");
  const auto place_of = nvml.function<int(Device, PciInfo*)>("nvmlDeviceGetPciInfo_v3");
  const auto memory_of = nvml.function<int(Device, MemoryInfo*)>("nvmlDeviceGetMemoryInfo");
  const auto peers = nvml.function<int(Device, Device, unsigned, int*)>("nvmlDeviceGetP2PStatus");
  const auto ancestor =
      nvml.function<int(Device, Device, int*)>("nvmlDeviceGetTopologyCommonAncestor");
  std::vector<Device> devices;
  for (unsigned k = 0; k < count; ++k) {
    Device device = nullptr;
    PciInfo place{};
    MemoryInfo memory{};
    // A GPU that this process may not use does not tell.
    if (find(k, &device) != success || place_of(device, &place) != success) continue;
    if (name_of(device, text, sizeof(text)) != success) continue;
    if (memory_of(device, &memory) != success) memory = {};
    devices.push_back(device);
    system.gpus.push_back(
        {text, fmt::format("{:04x}:{:02x}:{:02x}.0", place.domain, place.bus, place.device),
         static_cast<std::int64_t>(memory.total)});
  }
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = a + 1; b < devices.size(); ++b) {
      int status = -1, level = -1;
      const bool nvlink =
          peers(devices[a], devices[b], p2p_by_nvlink, &status) == success && status == 0;
      if (!nvlink && ancestor(devices[a], devices[b], &level) != success) level = -1;
      system.links.push_back(
          {system.gpus[a].pci_id, system.gpus[b].pci_id, nvlink ? "NVLink" : meeting_place(level)});
    }
  }
}

}  // namespace rowhalo

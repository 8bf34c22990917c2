// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of NVML (nvml.hpp).
#include "miniapp/machine/nvml.hpp"

#include <fmt/format.h>

#include <vector>

namespace rowhalo {

namespace {

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
  constexpr const char* places[] = {"one board",        "one PCIe switch", "several PCIe switches",
                                    "PCIe host bridge", "NUMA domain",     "between NUMA domains"};
  const bool known = level >= 0 && level % 10 == 0 && level <= 50;
  return known ? places[level / 10] : "unknown";
}

}  // namespace

Nvml::Nvml(const std::string& library) : library_(library) {
  demand("nvmlInit_v2");
}

Nvml::~Nvml() {
  ask("nvmlShutdown");
}

void Nvml::fail(const char* function, int status) const {
  const auto text = library_.function<const char*(int)>("nvmlErrorString");
  throw std::runtime_error(fmt::format("{}: {}", function, text(status)));
}

NvmlGpu::NvmlGpu(const std::string& pci_id, const std::string& library) : nvml_(library) {
  nvml_.demand("nvmlDeviceGetHandleByPciBusId_v2", pci_id.c_str(), &device_);
}

template <class Value, class... Kind>
double NvmlGpu::number(const char* function, Kind... kind) const {
  Value value = 0;
  return nvml_.ask(function, device_, kind..., &value) ? static_cast<double>(value) : not_told;
}

GpuState NvmlGpu::state() const {
  unsigned long long limits = 0;
  nvml_.ask("nvmlDeviceGetCurrentClocksThrottleReasons", device_, &limits);
  return {number<unsigned>("nvmlDeviceGetClockInfo", sm_clock),
          number<unsigned>("nvmlDeviceGetClockInfo", memory_clock),
          1e-3 * number<unsigned>("nvmlDeviceGetPowerUsage"),
          number<unsigned>("nvmlDeviceGetTemperature", gpu_temperature), limits};
}

double NvmlGpu::highest_sm_clock_mhz() const {
  return number<unsigned>("nvmlDeviceGetMaxClockInfo", sm_clock);
}

double NvmlGpu::power_limit_watts() const {
  return 1e-3 * number<unsigned>("nvmlDeviceGetEnforcedPowerLimit");
}

double NvmlGpu::energy_joules() const {
  return 1e-3 * number<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption");
}

void list_gpus(SystemReport& system, const std::string& library) {
  const Nvml nvml(library);
  char text[96] = "";
  nvml.demand("nvmlSystemGetDriverVersion", text, unsigned{sizeof(text)});
  system.driver = text;
  unsigned count = 0;
  nvml.demand("nvmlDeviceGetCount_v2", &count);
  std::vector<NvmlDevice*> devices;
  for (unsigned k = 0; k < count; ++k) {
    NvmlDevice* device = nullptr;
    PciInfo place{};
    MemoryInfo memory{};
    // A GPU that this process may not use does not tell.
    if (!nvml.ask("nvmlDeviceGetHandleByIndex_v2", k, &device)) continue;
    if (!nvml.ask("nvmlDeviceGetPciInfo_v3", device, &place)) continue;
    if (!nvml.ask("nvmlDeviceGetName", device, text, unsigned{sizeof(text)})) continue;
    nvml.ask("nvmlDeviceGetMemoryInfo", device, &memory);
    devices.push_back(device);
    system.gpus.push_back(
        {text, fmt::format("{:04x}:{:02x}:{:02x}.0", place.domain, place.bus, place.device),
         static_cast<std::int64_t>(memory.total)});
  }
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = a + 1; b < devices.size(); ++b) {
      int status = -1, level = -1;
      const bool nvlink =
          nvml.ask("nvmlDeviceGetP2PStatus", devices[a], devices[b], p2p_by_nvlink, &status) &&
          status == 0;
      if (!nvlink) {
        nvml.ask("nvmlDeviceGetTopologyCommonAncestor", devices[a], devices[b], &level);
      }
      system.links.push_back(
          {system.gpus[a].pci_id, system.gpus[b].pci_id, nvlink ? "NVLink" : meeting_place(level)});
    }
  }
}

}  // namespace rowhalo

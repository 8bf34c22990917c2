// SPDX-License-Identifier: BSD-3-Clause
//
// Description of the machine: hwloc tells of processors, NVML of GPUs, the kernel of the network
// (system.hpp).
#include "miniapp/machine/system.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>

#if ROWHALO_HAVE_HWLOC
#include <hwloc.h>
#endif

#include "miniapp/machine/nvml.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

namespace {

#if ROWHALO_HAVE_HWLOC
struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};

void list_processors(SystemReport& system) {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return;
  const std::unique_ptr<hwloc_topology, DestroyTopology> topology(made);
  // What a control group or a binding takes away belongs to the host all the same.
  hwloc_topology_set_flags(made, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(made) != 0) return;
  const auto count = [&](hwloc_obj_type_t type) {
    return std::max(hwloc_get_nbobjs_by_type(made, type), 0);
  };
  system.sockets = count(HWLOC_OBJ_PACKAGE);
  system.cores = count(HWLOC_OBJ_CORE);
  system.threads = count(HWLOC_OBJ_PU);
  system.numa_domains = count(HWLOC_OBJ_NUMANODE);
  const hwloc_obj_t root = hwloc_get_root_obj(made);
  system.memory_bytes = static_cast<std::int64_t>(root->total_memory);
  const hwloc_obj_t package = hwloc_get_obj_by_type(made, HWLOC_OBJ_PACKAGE, 0);
  const char* model = hwloc_obj_get_info_by_name(package != nullptr ? package : root, "CPUModel");
  if (model != nullptr) system.cpu = model;
}
#else
void list_processors(SystemReport& system) {
  system.threads = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  system.memory_bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
}
#endif

std::string kernel_name() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {}", name.sysname, name.release) : "";
}

std::string scheduler_name() {
  if (std::getenv("SLURM_JOB_ID") != nullptr) return "slurm";
  return std::getenv("PBS_JOBID") != nullptr ? "pbs" : "none";
}

std::string line_in(const std::filesystem::path& file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  return line;
}

/// What two hosts have to share to be alike.
std::string summary(const SystemReport& s) {
  std::string text = fmt::format("{}|{}|{}|{}|{}|{}|{}", s.cpu, s.sockets, s.cores, s.threads,
                                 s.numa_domains, s.kernel, s.driver);
  for (const GpuDescription& gpu : s.gpus) text += fmt::format("|{}", gpu.name);
  for (const std::string& device : s.fabric) text += "|" + device;
  return text;
}

}  // namespace

std::vector<std::string> network_devices(const std::filesystem::path& folder) {
  std::vector<std::string> devices;
  std::error_code absent;
  for (const auto& device : std::filesystem::directory_iterator(folder, absent)) {
    for (const auto& port : std::filesystem::directory_iterator(device.path() / "ports", absent)) {
      if (line_in(port.path() / "state").find("ACTIVE") == std::string::npos) continue;
      devices.push_back(fmt::format("{} {} {}", device.path().filename().string(),
                                    line_in(port.path() / "link_layer"),
                                    line_in(port.path() / "rate")));
    }
  }
  std::ranges::sort(devices);
  return devices;
}

SystemReport describe_system(const Comm& comm) {
  SystemReport system;
  const bool first = node_place(comm).rank == 0;
  if (first) {
    list_processors(system);
    try {
      list_gpus(system);
    } catch (const std::runtime_error&) {
      // No driver, no GPUs.
    }
    system.fabric = network_devices();
  }
  system.kernel = kernel_name();
  system.scheduler = scheduler_name();
  const std::vector<std::string> names = gather_texts(comm, host_name());
  const std::vector<std::string> summaries = gather_texts(comm, first ? summary(system) : "");
  system.hosts = static_cast<int>(std::set<std::string>(names.begin(), names.end()).size());
  system.hosts_alike = std::ranges::all_of(
      summaries, [&](const std::string& one) { return one.empty() || one == summaries.front(); });
  return system;
}

}  // namespace rowhalo

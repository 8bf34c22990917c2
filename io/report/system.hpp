// SPDX-License-Identifier: BSD-3-Clause
//
// The machine of a run, as far as a result needs it: the host of rank 0, and whether the others are
// like it. Nothing of users or of the environment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rowhalo {

struct GpuDescription {
  std::string name, pci_id;
  std::int64_t memory_bytes = 0;
};

/// What lies between two GPUs of a host.
struct GpuLink {
  std::string from, to;  ///< PCI ids
  std::string kind;      ///< NVLink, or the PCI bridge or processor where their ways meet
};

struct SystemReport {
  std::string cpu;                                            ///< model; empty: not known
  int sockets = 0, cores = 0, threads = 0, numa_domains = 0;  ///< 0: not known
  std::int64_t memory_bytes = 0;
  std::string kernel;  ///< of the operating system
  int hosts = 1;
  bool hosts_alike = true;           ///< in all of this but PCI ids
  std::string driver;                ///< of the GPUs; empty: none, or NVML is absent
  std::vector<GpuDescription> gpus;  ///< all of the host, whether used or not
  std::vector<GpuLink> links;
  std::vector<std::string> fabric;  ///< network devices of the host for MPI, with their rates
  std::string scheduler;            ///< slurm | pbs | none
};

}  // namespace rowhalo

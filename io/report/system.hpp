// SPDX-License-Identifier: BSD-3-Clause
//
// The machine of a run, as far as a result needs it: the host of rank 0, and whether the others are
// like it. Nothing of users or of the environment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/report/field_types.hpp"

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

// Their fields in a report (field_types.hpp).

void fields(const GpuDescription& g, auto&& field) {
  field("name", g.name, "product");
  field("pci_id", g.pci_id, "place in the host");
  field("memory_bytes", g.memory_bytes, "device memory (bytes)");
}

void fields(const GpuLink& l, auto&& field) {
  field("from", l.from, "PCI id of one GPU");
  field("to", l.to, "PCI id of the other");
  field("kind", l.kind, "NVLink, or where the ways of the two meet");
}

void fields(const SystemReport& s, auto&& field) {
  field("cpu", s.cpu, "model of the processors of rank 0's host; empty: not known");
  field("sockets", s.sockets, "processors of the host; 0: not known");
  field("cores", s.cores, "of the host; 0: not known");
  field("threads", s.threads, "hardware threads of the host; 0: not known");
  field("numa_domains", s.numa_domains, "of the host; 0: not known");
  field("memory_bytes", s.memory_bytes, "of the host; 0: not known (bytes)");
  field("kernel", s.kernel, "of the operating system");
  field("hosts", s.hosts, "of the run", positive);
  field("hosts_alike", s.hosts_alike, "the other hosts have the same description");
  field("driver", s.driver, "of the GPUs; empty: none, or NVML is absent");
  field("gpus", s.gpus, "of the host, used or not");
  field("links", s.links, "between each two GPUs of the host");
  field("fabric", s.fabric, "InfiniBand and RoCE devices of the host, with their rates");
  field("scheduler", Word{s.scheduler, {"slurm", "pbs", "none"}}, "that started the job");
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The fields of the description of the machine in a report, as fields.hpp has those of the rest.
#pragma once

#include "io/report/field_types.hpp"
#include "io/report/system.hpp"

namespace rowhalo {

template <class Walk>
void fields(const GpuDescription& g, Walk&& field) {
  field("name", g.name, "product");
  field("pci_id", g.pci_id, "place in the host");
  field("memory_bytes", g.memory_bytes, "device memory (bytes)");
}

template <class Walk>
void fields(const GpuLink& l, Walk&& field) {
  field("from", l.from, "PCI id of one GPU");
  field("to", l.to, "PCI id of the other");
  field("kind", l.kind, "NVLink, or where the ways of the two meet");
}

template <class Walk>
void fields(const SystemReport& s, Walk&& field) {
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

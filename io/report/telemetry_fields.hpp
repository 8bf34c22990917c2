// SPDX-License-Identifier: BSD-3-Clause
//
// The fields of telemetry in a report, as fields.hpp has those of the rest.
#pragma once

#include "io/report/field_types.hpp"
#include "io/report/telemetry.hpp"

namespace rowhalo {

/// A spread over samples, of which there may be none that count.
struct SampledSpread {
  Spread spread;
};

template <class Walk>
void fields(const SampledSpread& s, Walk&& field) {
  field("min", FiniteOrNull{s.spread.min}, "smallest; null: not told");
  field("mean", FiniteOrNull{s.spread.mean}, "mean; null: not told");
  field("max", FiniteOrNull{s.spread.max}, "largest; null: not told");
}

template <class Walk>
void fields(const ThrottleReport& t, Walk&& field) {
  field("reason", t.reason, "why the clock was held down");
  field("share", t.share, "of the samples", share);
  field("sm_clock_mhz", FiniteOrNull{t.sm_clock_mhz}, "mean of these samples (MHz)");
}

template <class Walk>
void fields(const GpuTelemetry& g, Walk&& field) {
  field("host", g.host, "where it is");
  field("pci_id", g.pci_id, "its place there");
  field("samples", g.samples, "samples, about ten per second");
  field("sm_clock_mhz", SampledSpread{g.sm_clock_mhz}, "clock of its multiprocessors (MHz)");
  field("highest_sm_clock_mhz", FiniteOrNull{g.highest_sm_clock_mhz}, "that it could have (MHz)");
  field("memory_clock_mhz", FiniteOrNull{g.memory_clock_mhz}, "mean (MHz)");
  field("power_watts", SampledSpread{g.power_watts},
        "power, which GPUs tell as a mean over up to a second (W)");
  field("power_limit_watts", FiniteOrNull{g.power_limit_watts}, "enforced power limit (W)");
  field("temperature_celsius", FiniteOrNull{g.temperature_celsius}, "highest (degrees Celsius)");
  field("throttling", g.throttling, "reasons for which its clock was held down");
}

template <class Walk>
void fields(const TelemetryReport& t, Walk&& field) {
  field("seconds", t.seconds, "of timed batches, in which the samples were taken (seconds)");
  field("gpus", t.gpus, "every GPU of the run; empty: none, or NVML is absent");
  field("gpu_joules", t.gpu_joules,
        "energy of all GPUs by their counters; null: less than 5 s, or not readable (J)");
  field("cpu_joules", t.cpu_joules, "energy of the processor packages of all nodes, likewise (J)");
  field("energy_per_product_joules", t.energy_per_product_joules,
        "of the GPUs, or of the processors where these compute (J)");
  field("gflops_per_watt", t.gflops_per_watt, "10^9 operations per joule");
  field("warnings", t.warnings, "of clocks that were held down");
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// One combination of kernels, transport and graph of an experiment: chosen, measured in full,
// checked and reported. What `run` repeats for each of several, and for A and its transpose.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/bench/measurement.hpp"
#include "miniapp/commands/experiment.hpp"
#include "miniapp/commands/references.hpp"
#include "miniapp/tune/choose.hpp"
#include "miniapp/tune/trials.hpp"

namespace rowhalo {

/// What the measurements of one run leave beside the report.
struct Measured {
  std::vector<std::byte> y;              ///< of the choice that is reported
  std::string trace;                     ///< text of the timeline, on rank 0
  std::optional<References> references;  ///< once a y has been there
  std::vector<std::byte> reserve;        ///< until something has been measured
  std::optional<double> read_bandwidth;  ///< of all devices, GB/s; 0: cannot be measured
};

/// Collective. The named format or the fastest; of --format all the one called `name`, or nothing,
/// and its reason in the report.
std::optional<ChosenKernels> convert(const Experiment& e, const ProductSetting& setting,
                                     const std::string& name, RunReport& report);

/// Collective. The named transport or the fastest; all of --halo all.
std::vector<ChosenTransport> transports_for(const Experiment& e, const ProductSetting& setting,
                                            const ChosenKernels& kernels);

/// Collective. The products of another schedule, where nothing is named and they are faster; else
/// null.
std::unique_ptr<const OtherProducts> try_others(const Experiment& e, const ProductSetting& setting,
                                                const ChosenKernels& kernels,
                                                ChosenTransport& transport);

/// Collective. Whether y, and the sequence that made it, are right.
Verdict judge(const Experiment& e, const References& references, const ChosenKernels& kernels,
              const Measurement& measurement);

/// Collective. Measures and checks one combination, and reports it if it is the best so far. False
/// when a signal has ended it.
bool measure_case(const Experiment& e, const ProductSetting& setting, const ChosenKernels& kernels,
                  const ChosenTransport& transport, Measured& measured, RunReport& report);

/// The why of the RESULT line when a signal has come.
std::string interruption(const Job& job, const RunReport& report);

}  // namespace rowhalo

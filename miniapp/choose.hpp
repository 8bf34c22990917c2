// SPDX-License-Identifier: BSD-3-Clause
//
// `auto`: the format and the transport are measured, not guessed. Every candidate runs a few
// products on the real blocks and the real plan; the fastest by the slowest rank's time serves all
// ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/report.hpp"
#include "miniapp/products.hpp"

namespace rowhalo {

struct FormatRequest {
  std::string interior = "auto";
  std::string boundary;  ///< empty: the same as the interior's
  Schedule schedule = Schedule::overlap;
};

struct ChosenKernels {
  std::string interior, boundary;
  LocalKernels kernels;
  std::vector<Candidate> candidates;  ///< empty when the format was named
};

/// The message of a refusal without "--format NAME: ", for tables that have the name beside it.
std::string reason_of(const AgreedError& refusal, const std::string& format);

/// Collective. The kernels of a named format; the reason, on all ranks, when it is unknown or
/// refuses.
std::optional<AgreedError> name_kernels(const ProductSetting& setting, const FormatRequest& request,
                                        ChosenKernels& chosen);

/// Collective. The kernels of a named format or of the fastest. Throws AgreedError.
ChosenKernels choose_kernels(const ProductSetting& setting, const FormatRequest& request);

struct ChosenTransport {
  std::string name;
  bool graph = false;
  std::vector<Candidate> candidates;  ///< empty when the transport was named
};

/// Names of the formats for `device` that are usable here.
std::vector<std::string> usable_formats(Device device);

/// The formats in "a,b:k=v,k=v,c"; those that are usable here for "all" and for "auto".
std::vector<std::string> named_formats(const std::string& text, Device device);

/// Every usable transport, without a graph and, where it and `graphs` allow it, with one.
std::vector<TransportVariant> usable_transports(const ComputeSite& site, bool graphs);

/// Collective. The named transport (with a graph where it and `graphs` allow it) or the fastest.
/// Throws AgreedError when the name is unknown or not usable here.
ChosenTransport choose_transport(const ProductSetting& setting, const std::string& name,
                                 bool graphs, const LocalKernels& kernels);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// `auto`: the format and the transport are measured, not guessed. Candidates run a few products on
// the real local matrices (trials.hpp) and the real plan; the fastest by the slowest rank's
// time serves all ranks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/report/report.hpp"
#include "miniapp/tune/products.hpp"

namespace rowhalo {

/// Whether products are replayed from a CUDA graph where that is possible.
enum class Graphs { off, on };

struct FormatRequest {
  std::string interior = "auto";
  std::string boundary;  ///< empty: the same as the interior's, or what takes them with `auto`
  Graphs graphs = Graphs::off;
  bool canonical = false;  ///< `auto` takes formats with the bits of csr only
};

struct ChosenKernels {
  std::string interior, boundary;
  LocalKernels kernels;
  Schedule schedule = Schedule::overlap;    ///< blocking where a format takes all rows at once
  std::vector<FormatCandidate> candidates;  ///< empty when the format was named
  std::optional<ChoiceCost> cost;           ///< empty when the format was named
};

/// Local. Runs `make`; memory that lacks becomes a refusal of the format that `spec` names.
void refuse_without_memory(const Spec& spec, const std::function<void()>& make);

/// Local. Throws InputError where the schedule of `setting` does not suit a format.
void check_format(const ProductSetting& setting, const FormatEntry& format, const Spec& options);

/// The schedule that `kernels` serve: that of `setting`, or blocking where a format takes all rows
/// at once.
Schedule served_schedule(const ProductSetting& setting, const LocalKernels& kernels);

/// The format that takes any rows in a precision, with the bits of csr where any format gives them.
const FormatEntry& universal_format(Device device, Precision precision);

/// Collective. The kernels of a named format; the reason, on all ranks, when it is unknown or
/// refuses.
std::optional<AgreedError> name_kernels(const ProductSetting& setting, const FormatRequest& request,
                                        ChosenKernels& chosen);

/// Collective. The kernels of a named format or of the fastest. Throws AgreedError.
ChosenKernels choose_kernels(const ProductSetting& setting, const FormatRequest& request);

struct ChosenTransport {
  std::string name;
  bool graph = false;
  std::vector<TransportCandidate> candidates;  ///< empty when the transport was named
  double spent_seconds = 0;                    ///< on trials so far, those of formats included
};

struct SettledSchedule {
  Schedule schedule;
  ScheduleGrounds grounds = ScheduleGrounds::as_asked;
};

/// Collective. `wanted`; but on GPUs blocking instead of overlap where two kernels cost more than
/// they hide: no row needs ghosts, few entries lie in interior rows, or transport `halo` may be one
/// in line on one host and no rank has many entries.
SettledSchedule settled_schedule(const Comm& comm, const LocalMatrix& matrix,
                                 const ComputeSite& site, const std::string& halo, Schedule wanted);

/// Graphs as far as `device` has them.
Graphs graphs_on(Device device, bool wanted);

/// Names of the formats for `device` that are usable here; `canonical`: of those with the bits of
/// csr.
std::vector<std::string> usable_formats(Device device, bool canonical = false);

/// The formats in "a,b:k=v,k=v,c"; those that are usable here for "all".
std::vector<std::string> named_formats(const std::string& text, Device device);

/// Every usable transport, without a graph and, where it and `graphs` allow it, with one.
std::vector<TransportVariant> usable_transports(const ComputeSite& site, bool graphs);

/// Local. The named transport; throws InputError where it is unknown or not usable here.
const TransportEntry& find_usable_transport(const std::string& name, const ComputeSite& site);

/// Collective. The named transport (with a graph where it and `graphs` allow it) or the fastest.
/// Throws AgreedError when the name is unknown or not usable here.
ChosenTransport choose_transport(const ProductSetting& setting, const std::string& name,
                                 bool graphs, const ChosenKernels& kernels);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Trials of formats and transports (choose.hpp).
#include "miniapp/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace rowhalo {

namespace {

constexpr double format_budget_seconds = 0.05;
constexpr double transport_budget_seconds = 0.05;

/// Marks the fastest candidate and returns its position; -1 when none was timed.
int mark_fastest(std::vector<Candidate>& candidates) {
  int best = -1;
  for (int k = 0; k < static_cast<int>(candidates.size()); ++k) {
    if (!candidates[k].seconds) continue;
    if (best < 0 || *candidates[k].seconds < *candidates[best].seconds) best = k;
  }
  if (best >= 0) candidates[best].reason = "fastest";
  return best;
}

/// Seconds of a product of this rank's rows alone.
double time_kernels(const ProductSetting& setting, const LocalKernels& kernels) {
  const Device device = setting.site.device;
  const VectorMemory x(device, setting.x.size());
  const VectorMemory y(device, static_cast<std::size_t>(kernels.rows) * setting.element_bytes());
  copy_between(device, x.data(), setting.x.data(), setting.x.size());
  HaloVector vector;
  vector.data = x.data();
  ProductSequence products(
      [&](std::int64_t) { apply_local(kernels, 1.0, vector, 0.0, y.data(), setting.stream); });
  return estimate_seconds(setting.measuring, format_budget_seconds, products);
}

}  // namespace

std::string reason_of(const AgreedError& refusal, const std::string& format) {
  const std::string option = "--format " + format + ": ", reason = refusal.what();
  return reason.starts_with(option) ? reason.substr(option.size()) : reason;
}

std::optional<AgreedError> name_kernels(const ProductSetting& setting, const FormatRequest& request,
                                        ChosenKernels& chosen) {
  return agreed_error(setting.measuring.comm, [&] {
    chosen.interior = request.interior;
    chosen.boundary = request.boundary.empty() ? request.interior : request.boundary;
    chosen.kernels =
        make_kernels(setting.block, request.schedule, Spec::parse(chosen.interior, "--format"),
                     Spec::parse(chosen.boundary, "--boundary-format"));
    if (chosen.kernels.schedule == Schedule::blocking) chosen.boundary = chosen.interior;
  });
}

ChosenKernels choose_kernels(const ProductSetting& setting, const FormatRequest& request) {
  ChosenKernels chosen;
  if (request.interior != "auto") {
    if (const auto error = name_kernels(setting, request, chosen)) throw *error;
    return chosen;
  }
  std::vector<Candidate> candidates;
  double best_seconds = std::numeric_limits<double>::infinity();
  for (const FormatEntry& entry : formats()) {
    if (entry.device != setting.site.device || !entry.automatic) continue;
    Candidate& candidate = candidates.emplace_back();
    candidate.name = entry.name;
    ChosenKernels attempt;
    if (const auto refusal =
            name_kernels(setting, {entry.name, request.boundary, request.schedule}, attempt)) {
      candidate.reason = reason_of(*refusal, candidate.name);
      continue;
    }
    candidate.seconds = time_kernels(setting, attempt.kernels);
    if (*candidate.seconds < best_seconds) {
      best_seconds = *candidate.seconds;
      chosen = std::move(attempt);
    }
  }
  if (mark_fastest(candidates) < 0) {
    throw AgreedError(ExitCode::usage,
                      "--format auto: every format refuses this matrix; the last said: " +
                          candidates.back().reason);
  }
  chosen.candidates = std::move(candidates);
  return chosen;
}

std::vector<std::string> usable_formats(Device device) {
  std::vector<std::string> names;
  for (const FormatEntry& entry : formats()) {
    if (entry.device == device && unusable_reason(entry).empty()) names.emplace_back(entry.name);
  }
  return names;
}

std::vector<std::string> named_formats(const std::string& text, Device device) {
  if (text == "auto" || text == "all") return usable_formats(device);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const bool option = item.find('=') != std::string::npos && item.find(':') == std::string::npos;
    if (option && !names.empty()) {
      names.back() += "," + item;
    } else {
      names.push_back(item);
    }
    begin = end + 1;
  }
  return names;
}

std::vector<TransportVariant> usable_transports(const ComputeSite& site, bool graphs) {
  std::vector<TransportVariant> variants;
  for (const TransportEntry& entry : transports()) {
    if (!entry.unusable(site).empty()) continue;
    variants.push_back({&entry, false});
    if (graphs && entry.graphs) variants.push_back({&entry, true});
  }
  return variants;
}

ChosenTransport choose_transport(const ProductSetting& setting, const std::string& name,
                                 bool graphs, const LocalKernels& kernels) {
  ChosenTransport chosen;
  if (name != "auto") {
    agree(setting.measuring.comm, [&] {
      const TransportEntry& entry = find_transport(name);
      const std::string reason = entry.unusable(setting.site);
      if (!reason.empty()) throw InputError(fmt::format("--halo {}: {}", name, reason));
      chosen.name = name;
      chosen.graph = graphs && entry.graphs;
    });
    return chosen;
  }
  for (const TransportEntry& entry : transports()) {
    const std::string reason = entry.unusable(setting.site);
    if (!reason.empty()) chosen.candidates.push_back({entry.name, false, {}, {}, reason});
  }
  for (const TransportVariant& variant : usable_transports(setting.site, graphs)) {
    Products products(setting, kernels, variant, 1.0, 0.0);
    const double seconds =
        estimate_seconds(setting.measuring, transport_budget_seconds, products.sequence());
    ProductSequence alone = products.local_sequence();
    const double local = estimate_seconds(setting.measuring, transport_budget_seconds, alone);
    chosen.candidates.push_back(
        {variant.entry->name, variant.graph, seconds, std::max(0.0, seconds - local), ""});
    products.close();
  }
  const Candidate& best = chosen.candidates[mark_fastest(chosen.candidates)];
  chosen.name = best.name;
  chosen.graph = best.graph;
  return chosen;
}

}  // namespace rowhalo

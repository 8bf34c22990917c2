// SPDX-License-Identifier: BSD-3-Clause
//
// Trials of formats and transports (choose.hpp).
#include "miniapp/choose.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "miniapp/batches.hpp"

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

}  // namespace

ChosenKernels choose_kernels(const Comm& comm, const CsrView& block, const LocalMatrix& matrix,
                             const FormatRequest& request, const void* x, Progress& progress) {
  const auto make = [&](const std::string& interior) {
    const std::string& boundary = request.boundary.empty() ? interior : request.boundary;
    ChosenKernels chosen{interior, boundary, {}, {}};
    chosen.kernels =
        make_kernels(block, matrix, request.schedule, Spec::parse(interior, "--format"),
                     Spec::parse(boundary, "--boundary-format"), request.device);
    if (request.schedule == Schedule::blocking) chosen.boundary = interior;
    return chosen;
  };
  ChosenKernels chosen;
  if (request.interior != "auto") {
    agree(comm, [&] { chosen = make(request.interior); });
    return chosen;
  }

  HostAllocation y(static_cast<std::size_t>(block.rows) * value_bytes(block.precision));
  HaloVector trial{};
  trial.data = static_cast<std::byte*>(const_cast<void*>(x));  // apply() only reads it
  std::vector<Candidate> candidates;
  double best_seconds = std::numeric_limits<double>::infinity();
  for (const FormatEntry& entry : formats()) {
    if (entry.device != request.device || !entry.automatic) continue;
    Candidate& candidate = candidates.emplace_back();
    candidate.name = entry.name;
    ChosenKernels attempt;
    if (const auto refusal = agreed_error(comm, [&] { attempt = make(entry.name); })) {
      candidate.reason = refusal->what();
      continue;
    }
    candidate.seconds = estimate_seconds(
        comm, format_budget_seconds,
        [&](std::int64_t) { apply_local(attempt.kernels, 1.0, trial, 0.0, y.data(), {}); },
        progress);
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

ChosenTransport choose_transport(const std::string& name, const TransportContext& context,
                                 const LocalKernels& kernels, const void* x, Progress& progress) {
  if (name != "auto") {
    const TransportEntry* entry = nullptr;
    agree(context.comm, [&] { entry = &find_transport(name); });
    return {name, entry->make(context), {}};
  }
  HostAllocation y(static_cast<std::size_t>(kernels.rows) * context.element_bytes);
  TransportContext trial_context = context;
  trial_context.vectors = 2;
  ChosenTransport chosen;
  for (const TransportEntry& entry : transports()) {
    const std::unique_ptr<HaloExchange> halo = entry.make(trial_context);
    const HaloVector vectors[2] = {halo->make_vector(), halo->make_vector()};
    for (const HaloVector& vector : vectors) fill_owned(vector, x);
    const DistributedSpmv spmv(kernels, *halo);
    const auto seconds = [&](auto&& product) {
      return estimate_seconds(context.comm, transport_budget_seconds, product, progress);
    };
    Candidate& candidate = chosen.candidates.emplace_back();
    candidate.name = entry.name;
    candidate.seconds =
        seconds([&](std::int64_t k) { spmv.apply(1.0, vectors[k % 2], 0.0, y.data(), {}); });
    const double local = seconds(
        [&](std::int64_t k) { apply_local(kernels, 1.0, vectors[k % 2], 0.0, y.data(), {}); });
    candidate.exposed_seconds = std::max(0.0, *candidate.seconds - local);
    halo->close();
  }
  const int best = mark_fastest(chosen.candidates);
  chosen.name = chosen.candidates[best].name;
  chosen.halo = find_transport(chosen.name).make(context);
  return chosen;
}

void fill_owned(const HaloVector& target, const void* x) {
  std::memcpy(target.data, x, static_cast<std::size_t>(target.owned) * target.element_bytes);
  // All bits set is a NaN in every floating-point format.
  std::memset(target.ghost_data(), 0xff,
              static_cast<std::size_t>(target.ghosts) * target.element_bytes);
}

}  // namespace rowhalo

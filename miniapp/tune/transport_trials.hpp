// SPDX-License-Identifier: BSD-3-Clause
//
// How `auto` finds its transport (choose.hpp): each candidate is made and timed in rounds on the
// real plan and kernels, with and without the exchange, each first in every other round. The
// fastest so far stays while the next is tried; where two are close they are timed in pairs. A
// candidate that cannot be made, or leaves wrong ghosts, is refused with its reason.
#pragma once

#include <span>

#include "miniapp/tune/choose.hpp"
#include "miniapp/tune/trial_budget.hpp"

namespace rowhalo {

/// Collective. The fastest of `variants` by the slowest rank's time, and a candidate for each of
/// them; a single one is made and checked, not timed. One is tried whatever trials of formats have
/// spent before. Throws AgreedError when all are refused.
ChosenTransport try_transports(const ProductSetting& setting,
                               std::span<const TransportVariant> variants,
                               const LocalKernels& kernels, double spent_seconds,
                               const TrialBudget& budget = choice_budget);

}  // namespace rowhalo

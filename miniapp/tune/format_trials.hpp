// SPDX-License-Identifier: BSD-3-Clause
//
// How `auto` finds its format (choose.hpp): candidates in the order of their predicted time, each
// made and run for a few products on the real local matrices, two x in turn as in the run, until
// the budget is spent. What cannot win by its bytes is left out. The fastest so far stays while the
// next is tried; where both do not fit into memory it makes room and is made again if it wins.
#pragma once

#include <span>

#include "miniapp/tune/choose.hpp"
#include "miniapp/tune/trial_budget.hpp"

namespace rowhalo {

/// Collective. The fastest of `formats`, which are of one device; `request.interior` is not looked
/// at. One is tried whatever it costs, two where they are predicted to be about as fast. A format
/// that refuses boundary rows only is tried with the first format of the table for these. Throws
/// AgreedError when every format refuses.
ChosenKernels try_formats(const ProductSetting& setting, const FormatRequest& request,
                          std::span<const FormatEntry* const> formats, const TrialBudget& budget);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The trials behind `auto` (choose.hpp), and what they may cost. The fastest candidate so far stays
// while the next is tried; where two are close they are timed in pairs (paired_timing.hpp). In this
// order:
//
// Formats, by their predicted time, each made and run for a few products on the real local
// matrices, two x in turn as in the run, until the budget is spent. What cannot win by its bytes is
// left out. Where both the fastest and the next do not fit into memory, the fastest makes room and
// is made again if it wins.
//
// Transports, each made and timed in rounds on the real plan and kernels, with and without the
// exchange, each first in every other round. A candidate that cannot be made, or leaves wrong
// ghosts, is refused with its reason.
//
// Other schedules than the one that was chosen, and on GPUs the second best format, last and with
// the chosen transport:
//   split     on GPUs, if the exchange shows: in power laws hardly any row is interior, and only
//             this schedule has work while entries of x travel. It needs the matrix cut by columns
//             beside the whole one.
//   overlap   on GPUs, with the second best format, if the product is short: formats are chosen
//             without the exchange, which slows some down more than others. (2 H200s,
//             banded:rows=200000,half=64,fill=0.2: alone asell took 10.9 us and csr-packed 11.2,
//             with the exchange 14.0 and 11.0.)
//   blocking  on GPUs for short products, with the best format so far. On CPUs with the chosen
//             format, the second best and csr-omp, which converts nothing: the cores that multiply
//             also copy, so that overlap hides little, and two lists of rows read the CSR arrays
//             twice, with gaps.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "miniapp/tune/choose.hpp"

namespace rowhalo {

/// What the trials of one choice may cost: the larger of the two. Formats, transports and schedules
/// draw on one budget in this order, and formats, which are converted for their trials, on at most
/// a part of it. One format and one transport are tried whatever was spent before.
struct TrialBudget {
  double seconds = 0;
  double products = 0;  ///< of the fastest so far

  /// Whether trials may take `spent` seconds where the fastest product so far takes `best`.
  bool allows(double spent, double best) const {
    return spent <= std::max(seconds, products * best);
  }
};

/// All trials of a choice. Usually 0.2 to 1 second of it are spent: the rest is for nodes that
/// others load, where a product in a slow exchange takes a hundred times as long as in a fast one.
inline constexpr TrialBudget choice_budget{.seconds = 2, .products = 1000};

/// Trials of formats with their conversions, where no rank has more than `most_entries` nonzeros.
inline TrialBudget format_budget(Device device, std::int64_t most_entries) {
  constexpr double products = 300;
  // Products take longer there, and their times vary more.
  if (device == Device::cpu) return {0.1, products};
  constexpr std::int64_t many_entries = 10000000;  // whose products are long enough to tell apart
  if (most_entries > many_entries) return {0, products};
  return {0.25, products};  // 30 ms were spent before the fastest was tried where a host was busy
}

/// Collective. The fastest of `formats`, which are of one device; `request.interior` is not looked
/// at. One is tried whatever it costs, two where they are predicted to be about as fast. A format
/// that refuses boundary rows only is tried with the first format of the table for these. Throws
/// AgreedError when every format refuses.
ChosenKernels try_formats(const ProductSetting& setting, const FormatRequest& request,
                          std::span<const FormatEntry* const> formats, const TrialBudget& budget);

/// Collective. The fastest of `variants` by the slowest rank's time, and a candidate for each of
/// them; a single one is made and checked, not timed. One is tried whatever trials of formats have
/// spent before. Throws AgreedError when all are refused.
ChosenTransport try_transports(const ProductSetting& setting,
                               std::span<const TransportVariant> variants,
                               const LocalKernels& kernels, double spent_seconds,
                               const TrialBudget& budget = choice_budget);

/// Kernels for another schedule, and the setting of their products.
struct OtherProducts {
  std::unique_ptr<const LoadedColumns> columns;
  ProductSetting setting;
  ChosenKernels kernels;
};

/// Collective. The fastest of the products in other schedules, if it takes at most 98 % of the time
/// of `kernels` and `transport`; else null. Adds a line per trial to the candidates of `transport`,
/// and turns its graph on where a trial in a graph wins.
std::unique_ptr<const OtherProducts> try_other_schedules(const ProductSetting& setting,
                                                         const ChosenKernels& kernels,
                                                         ChosenTransport& transport);

}  // namespace rowhalo

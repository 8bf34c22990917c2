// SPDX-License-Identifier: BSD-3-Clause
//
// What was measured for asell, on an H200: how many steps of a slice a thread loads before it sums
// them, with how many warps, and which of these choices fits a matrix. Nothing here changes the
// result.
#pragma once

#include "kernels/gpu/asell/asell.hpp"

namespace rowhalo {

inline constexpr int asell_threads = 128;  ///< per thread block

/// What a warp reads of its slice first is brought to L2 while others work on slices this far
/// before it, more than there are warps at once: else it is the first of two waits for memory.
inline constexpr unsigned described_ahead = 1 << 14;

/// Left to itself the compiler begins to sum, or to decode, and so waits, while loads are still to
/// be asked for.
enum class LoadOrder {
  compilers,
  loads_first,   ///< all loads of a batch of steps before its sums
  streams_first  ///< loads of values and of codes in words also before any of x
};

/// The steps of a slice that a thread loads before it sums them, and the thread blocks that
/// registers must suffice for on a multiprocessor, without a spill (ptxas -v): 8 spilled bytes per
/// row cost stencil5 a tenth.
struct Shape {
  int plain;   ///< steps of codes without words
  int packed;  ///< steps where several share a word
  int few;     ///< steps loaded at once where no more are left
  int blocks;
  LoadOrder order;
};

/// Measured on an H200, chosen among 4 to 20 steps and 3 to 16 thread blocks; fitting_unroll says
/// when. Coded values want all warps: with half of them stencil27 of 200 x 200 x 50 took 65 us,
/// not 60.
template <class Numbers>
constexpr Shape shape_of(Unroll unroll, ValueCode code) {
  constexpr bool reduced =
      sizeof(typename Numbers::Matrix) + sizeof(typename Numbers::Vector) <= 2 * sizeof(float);
  if (in_table(code)) {
    return {8, 8, 8, unroll == Unroll::low ? 16 : 12, LoadOrder::compilers};
  }
  switch (unroll) {
    case Unroll::low:
      break;
    case Unroll::medium:
      return {7, 8, 8, 12, reduced ? LoadOrder::loads_first : LoadOrder::compilers};
    case Unroll::high:
      return {12, 12, 8, 6, LoadOrder::loads_first};
    case Unroll::highest:
      return {20, 20, 8, 3, LoadOrder::streams_first};
  }
  return {4, 8, 4, 16, LoadOrder::compilers};
}

/// Of values by_step: the slices that a warp takes at once, the steps loaded before they are
/// summed, and thread blocks as in Shape. Measured on an H200 among 1 to 4 slices, 3 to 9 steps and
/// thread blocks of 128 to 1024: with two slices the steps that they share are loaded once, which a
/// matrix whose warps are all at once would pay for with waiting.
struct StepShape {
  int slices, steps, blocks;
};
constexpr StepShape step_shape_of(Unroll unroll) {
  return unroll == Unroll::low      ? StepShape{2, 3, 16}
         : unroll == Unroll::medium ? StepShape{1, 7, 10}
                                    : StepShape{2, 7, 8};
}

/// The choice for a matrix. With more steps under way fewer warps hide how long a load takes, which
/// pays where slices are long, or so few that all are at once.
inline Unroll fitting_unroll(const AsellLayout& layout, std::int64_t multiprocessors) {
  const std::int64_t slices = layout.slices.size();
  const auto at_most = [&](std::int64_t warps) { return slices <= warps * multiprocessors; };
  const auto longer_than = [&](std::int64_t steps) { return layout.steps > steps * slices; };
  // Asking ahead: a quarter of elasticity:80 takes 32 us instead of 34, but all of it 120 instead
  // of 118, and stencil5 a tenth more, where other warps hide the wait anyway.
  if (in_table(layout.value_code)) {
    return at_most(2 * 64) ? Unroll::medium : Unroll::low;
  }
  // Medium, high, low: stencil5:200 (9 slices a multiprocessor) 2.0, 2.5, 3.4 us, stencil27:60
  // (51) 8.9, 7.9, 9.1, stencil27:100 (237) 25.7, 24.0, 25.0, stencil7:160 (970) 41.5, 34.6, 32.2.
  if (layout.value_code == ValueCode::by_step) {
    return at_most(24) ? Unroll::medium : at_most(4 * 64) ? Unroll::high : Unroll::low;
  }
  // Wide distances: loads of x are all over the caches, which more warps keep busy.
  const std::int64_t close = layout.slices_by_code[static_cast<int>(IndexCode::offsets)] +
                             layout.slices_by_code[static_cast<int>(IndexCode::distances8)];
  const bool regular = 2 * close > slices;
  if (longer_than(64) && (regular || at_most(2 * 64))) {
    return at_most(12) ? Unroll::highest : Unroll::high;
  }
  if (!regular || !longer_than(4)) return Unroll::low;
  return longer_than(8) && at_most(24) ? Unroll::high : Unroll::medium;
}

}  // namespace rowhalo

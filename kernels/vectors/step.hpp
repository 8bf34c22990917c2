// SPDX-License-Identifier: BSD-3-Clause
//
// What vector steps are made of. A step is one pass over the rows of this rank that updates what it
// updates and returns the terms of the sums that the solver needs next: a struct of pointers with
//   static constexpr int sums       how many sums its terms go to
//   void load()                     if it has scalars: takes them from the memory of the device
//   Terms<sums> operator()(i)       row i
// written once for CPU and GPU, with explicit fma, so that both update vectors to the same bits
// (sums: with Summation::reproducible only). Scalars (alpha, beta) and sums lie in the memory of
// the device. All of it is fp64.
#pragma once

#include <cmath>

#include "kernels/spmv_kernel.hpp"
#include "kernels/vectors/exact_sum.hpp"

namespace rowhalo {

#define ROWHALO_STEP [[gnu::always_inline]] ROWHALO_HOST_DEVICE

/// How the terms of a step are added: in any fixed order, or without rounding (exact_sum.hpp),
/// which makes the result independent of ranks and devices.
enum class Summation { fast, reproducible };

/// Most sums of one step.
inline constexpr int most_sums = 5;

/// Where steps leave their sums, in the memory of the device: `values`; with
/// Summation::reproducible `exact`, which rounds to `values` when all ranks' are added up. Steps on
/// a GPU leave fast sums in `parts`, one per thread block, which the reduction adds up.
struct SumsView {
  double* values = nullptr;
  ExactSum* exact = nullptr;
  double* parts = nullptr;  ///< [sum][most_parts]

  static constexpr int most_parts = 1024;

  /// From sum `first` on.
  SumsView from(int first) const {
    return {values + first, exact != nullptr ? exact + first : nullptr,
            parts != nullptr ? parts + std::ptrdiff_t{first} * most_parts : nullptr};
  }
};

/// The rows of this rank and who works on them.
struct VectorSpace {
  Device device = Device::cpu;
  Stream stream;
  std::int64_t rows = 0;
  Summation summation = Summation::fast;
  unsigned* ended_blocks = nullptr;  ///< on a GPU: 0 between steps
  const double* ended = nullptr;  ///< on a GPU: where this is not 0, steps do nothing; null: never
  bool backward = false;  ///< on a GPU: from the last row to the first, beginning with what the
                          ///< sweep before has left in its cache
};

template <int n>
struct Terms {
  double of[n > 0 ? n : 1];  // NOLINT(bugprone-branch-clone): of n = 1
};

/// A number in the memory of the device.
struct Scalar {
  const double* place = nullptr;
  double value = 0;

  ROWHALO_STEP void load() { value = *place; }
};

/// The inverse of a preconditioner that is a diagonal: z_i = inverse.at(i) r_i. Nothing set: z = r.
/// Blocks of more than one row need a pass of their own (ApplyBlocks), which stores z.
struct Inverse {
  const double* diagonal = nullptr;

  ROWHALO_STEP double at(std::int64_t i) const { return diagonal != nullptr ? diagonal[i] : 1; }
};

}  // namespace rowhalo

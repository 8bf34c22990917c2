// SPDX-License-Identifier: BSD-3-Clause
//
// Sums without rounding in registers: a few doubles, each far smaller than the one before, whose
// sum is that of all terms (floating-point expansions: Shewchuk, Discrete and Computational
// Geometry 18, 1997). What does not fit goes on to a long accumulator (exact_sum.hpp), which is
// rare, as in Collange, Defour, Graillat, Iakymchuk, Parallel Computing 49, 2015.
#pragma once

#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {

class Expansion {
 public:
  /// pass_on(rest) takes what the parts cannot hold.
  template <class PassOn>
  __device__ void add(double term, const PassOn& pass_on) {
    if (!(fabs(term) < too_large)) {  // also Inf and NaN
      pass_on(term);
      return;
    }
#pragma unroll
    for (int k = 0; k < parts; ++k) {
      // Knuth: The art of computer programming, volume 2, section 4.2.2, theorem B.
      const double sum = part_[k] + term;
      const double added = sum - part_[k];
      term = (part_[k] - (sum - added)) + (term - added);
      part_[k] = sum;
      if (term == 0) return;
    }
    pass_on(term);
  }

  /// Passes on the parts of all lanes of the warp, added up. All lanes take part.
  template <class PassOn>
  __device__ void add_lanes(const PassOn& pass_on) {
    const int lane = threadIdx.x % warp_size;
    for (int offset = warp_size / 2; offset > 0; offset /= 2) {
      double others[parts];
      for (int k = 0; k < parts; ++k) {
        others[k] = __shfl_down_sync(all_lanes, part_[k], offset);
      }
      if (lane < offset) {
        for (int k = 0; k < parts; ++k) add(others[k], pass_on);
      }
    }
    if (lane == 0) {
      for (int k = 0; k < parts; ++k) pass_on(part_[k]);
    }
  }

 private:
  static constexpr int parts = 4;
  static constexpr double too_large = 0x1p960;  ///< 2^63 smaller terms do not overflow

  double part_[parts] = {};
};

}  // namespace rowhalo

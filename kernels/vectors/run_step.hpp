// SPDX-License-Identifier: BSD-3-Clause
//
// Every step there is, and how they run: on the CPU in kernels/cpu/vector_steps.cpp, on a GPU in
// kernels/gpu/vectors/vector_steps.cu. A new step is a struct in vector_steps.hpp and a
// line here.
#pragma once

#include "kernels/vectors/over_ranks.hpp"
#include "kernels/vectors/vector_steps.hpp"

namespace rowhalo {

// X(Step) for every step.
#define ROWHALO_VECTOR_STEPS(X) \
  X(ApplyBlocks)                \
  X(ApplyInverse)               \
  X(Dot)                        \
  X(AddParts)                   \
  X(Residual)                   \
  X(CgResidual)                 \
  X(CgDirection)                \
  X(CgOneReductionUpdate)       \
  X(CgPipelinedUpdate)          \
  X(BicgstabHalf)               \
  X(BicgstabResidual)           \
  X(BicgstabDirection)          \
  X(PowerUpdate)                \
  X(PagerankMass)               \
  X(PagerankUpdate)

template <class Step>
void run_step_on_cpu(const VectorSpace& space, Step step, SumsView sums);
template <class Step>
void run_step_on_gpu(const VectorSpace& space, Step step, SumsView sums, const OverRanks& then);
void finish_sums_on_cpu(const OverRanks& sums);
void finish_sums_on_gpu(const VectorSpace& space, const OverRanks& sums);
/// sums.exact[0..count), already those of all ranks, rounded to sums.values.
void round_sums_on_cpu(SumsView sums, int count);

/// Runs `step` on all rows. Its sums over the rows of this rank go to `sums`, which may be empty
/// where nobody needs them: to sums.values, with Summation::reproducible to sums.exact.
/// On a GPU the same kernel goes on with what is to be done over ranks, if there is any.
template <class Step>
void run_step(const VectorSpace& space, const Step& step, SumsView sums = {},
              const OverRanks& then = {}) {
  if (space.device == Device::gpu) {
    run_step_on_gpu(space, step, sums, then);
  } else {
    run_step_on_cpu(space, step, sums);
  }
}

/// What is to be done over ranks, by itself.
inline void finish_sums(const VectorSpace& space, const OverRanks& sums) {
  if (space.device == Device::gpu) {
    finish_sums_on_gpu(space, sums);
  } else {
    finish_sums_on_cpu(sums);
  }
}

}  // namespace rowhalo

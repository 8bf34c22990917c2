// SPDX-License-Identifier: BSD-3-Clause
//
// Every step there is, and how they run: on the CPU in kernels/cpu/vector_steps.cpp, on a GPU in
// kernels/gpu/vectors/vector_steps.cu. A new step is a struct in vector_steps.hpp or
// scalar_steps.hpp and a line here.
#pragma once

#include "kernels/vectors/scalar_steps.hpp"
#include "kernels/vectors/vector_steps.hpp"

namespace rowhalo {

// X(Step) for every step.
#define ROWHALO_VECTOR_STEPS(X) \
  X(ApplyBlocks)                \
  X(ApplyInverse)               \
  X(Dot)                        \
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
  X(PagerankUpdate)             \
  X(CgAlpha)                    \
  X(CgBeta)                     \
  X(CgOneReductionScalars)      \
  X(BicgstabAlpha)              \
  X(BicgstabOmega)              \
  X(BicgstabBeta)               \
  X(PowerScalars)               \
  X(PowerNorm)                  \
  X(PagerankTeleport)

template <class Step>
void run_step_on_cpu(const VectorSpace& space, Step step, SumsView sums);
template <class Step>
void run_step_on_gpu(const VectorSpace& space, Step step, SumsView sums);
void round_sums_on_cpu(SumsView sums, int count);
void round_sums_on_gpu(const VectorSpace& space, SumsView sums, int count);

/// Runs `step` on all rows. Its sums over the rows of this rank go to `sums`, which may be empty
/// where nobody needs them: to sums.values, with Summation::reproducible to sums.exact.
template <class Step>
void run_step(const VectorSpace& space, const Step& step, SumsView sums = {}) {
  if (space.device == Device::gpu) {
    run_step_on_gpu(space, step, sums);
  } else {
    run_step_on_cpu(space, step, sums);
  }
}

/// sums.exact[0..count), already those of all ranks, rounded to sums.values.
inline void round_sums(const VectorSpace& space, SumsView sums, int count) {
  if (space.device == Device::gpu) {
    round_sums_on_gpu(space, sums, count);
  } else {
    round_sums_on_cpu(sums, count);
  }
}

}  // namespace rowhalo

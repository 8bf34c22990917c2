// SPDX-License-Identifier: BSD-3-Clause
//
// Products on the GPU, where PETSc has CUDA (3.20 and newer): the matrix is AIJCUSPARSE below, x
// and y are PETSc's own arrays in the memory of the device, and all work follows PETSc's stream. No
// graph is captured: PETSc's may be the legacy default stream, which cannot be.
#pragma once

#include <petscmat.h>

#include "miniapp/spmv/operator.hpp"

namespace rowhalo {

#if defined(PETSC_HAVE_CUDA) && PETSC_VERSION_GE(3, 20, 0)
constexpr bool petsc_has_cuda = true;
#else
constexpr bool petsc_has_cuda = false;
#endif

/// Whether the options ask for CUDA vectors (-vec_type, -dm_vec_type, -mat_vec_type, also with the
/// prefix of the matrix) and this build of Rowhalo can multiply there.
PetscErrorCode wants_gpu(Mat matrix, bool& gpu);

/// Whether both are CUDA vectors that PETSc has not bound to the CPU.
PetscErrorCode are_on_gpu(Vec x, Vec y, bool& gpu);

/// Collective. As multiply() (multiplier.hpp), of an operator on the GPU. Logs GPU flops and time.
PetscErrorCode multiply_on_gpu(Operator& spmv, Vec x, bool add, Vec y);

}  // namespace rowhalo

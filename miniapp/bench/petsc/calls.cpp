// SPDX-License-Identifier: BSD-3-Clause
//
// Where librowhalo_with_petsc.so is entered.
#include "miniapp/bench/petsc/library.hpp"

extern "C" const rowhalo::PetscCalls rowhalo_with_petsc_calls{&rowhalo::with_petsc::product,
                                                              &rowhalo::with_petsc::solve};

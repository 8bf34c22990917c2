// SPDX-License-Identifier: BSD-3-Clause
//
// librowhalo_with_petsc.so: what calls PETSc, in a library that is loaded when PETSc is asked for.
// PETSc's own libraries, about a hundred, take longer to load than MPI takes to start.
#pragma once

#include "miniapp/bench/petsc/product.hpp"
#include "miniapp/bench/petsc/solvers.hpp"

namespace rowhalo {

/// Defined in the library.
namespace with_petsc {
decltype(petsc_product) product;
decltype(petsc_solve) solve;
}  // namespace with_petsc

/// What the library exports under the name that `petsc_calls_name` holds.
struct PetscCalls {
  decltype(petsc_product)* product;
  decltype(petsc_solve)* solve;
};
inline constexpr const char* petsc_calls_name = "rowhalo_with_petsc_calls";

}  // namespace rowhalo

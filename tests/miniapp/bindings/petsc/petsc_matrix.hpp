// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices and vectors of PETSc for the tests of its type "rowhalo". Between begin and end of a
// session PETSc returns errors, and prints none.
#pragma once

#include <petscksp.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "miniapp/bindings/petsc/multiplier.hpp"
#include "miniapp/bindings/petsc/rowhalo_petsc.h"
#include "tests/mpi.hpp"

#define REQUIRE_PETSC(call) REQUIRE_ALL_RANKS((call) == PetscErrorCode(0))

/// PETSc with the type registered and options set, until its end.
class PetscSession {
 public:
  using Options = std::initializer_list<std::pair<const char*, const char*>>;

  explicit PetscSession(Options options = {}) {
    PetscOptionsSetValue(nullptr, "-no_signal_handler", "true");
    PetscOptionsSetValue(nullptr, "-skip_petscrc", "true");
    for (const auto& [name, value] : options) PetscOptionsSetValue(nullptr, name, value);
    REQUIRE_PETSC(PetscInitializeNoArguments());
    REQUIRE_PETSC(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
    REQUIRE_PETSC(PetscDLLibraryRegister_rowhalo_petsc());
  }
  ~PetscSession() { PetscFinalize(); }
  PetscSession(const PetscSession&) = delete;
  PetscSession& operator=(const PetscSession&) = delete;
};

/// An object of PETSc's that its owner destroys.
template <class Handle, PetscErrorCode (*destroy)(Handle*)>
struct PetscOwned {
  Handle handle = nullptr;
  PetscOwned() = default;
  PetscOwned(PetscOwned&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  PetscOwned& operator=(PetscOwned&& other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~PetscOwned() { (void)destroy(&handle); }
  operator Handle() const { return handle; }
  Handle* operator&() { return &handle; }
};
using OwnedMat = PetscOwned<Mat, MatDestroy>;
using OwnedVec = PetscOwned<Vec, VecDestroy>;

/// Row i has entries in columns (3 i + 5 k) mod columns, k = 0 to i mod 5, so that some rows are
/// short and most ranks need entries of others; every 7th row is empty. Values are integers.
inline void fill(Mat matrix, PetscInt columns, int seed) {
  PetscInt first = 0, end = 0;
  MatGetOwnershipRange(matrix, &first, &end);
  for (PetscInt row = first; row < end; ++row) {
    for (PetscInt k = 0; k <= row % 5 && row % 7 != 6; ++k) {
      const PetscInt column = (3 * row + 5 * k) % columns;
      MatSetValue(matrix, row, column, static_cast<PetscScalar>((row + k + seed) % 9 - 4),
                  INSERT_VALUES);
    }
  }
  MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
}

/// `own_columns`: of this rank; PETSC_DECIDE: an even share.
inline OwnedMat make_matrix(const char* type, PetscInt rows, PetscInt columns, int seed = 0,
                            PetscInt own_columns = PETSC_DECIDE) {
  OwnedMat matrix;
  REQUIRE_PETSC(MatCreate(PETSC_COMM_WORLD, &matrix));
  REQUIRE_PETSC(MatSetSizes(matrix, PETSC_DECIDE, own_columns, rows, columns));
  REQUIRE_PETSC(MatSetType(matrix, type));
  REQUIRE_PETSC(MatSetUp(matrix));
  fill(matrix, columns, seed);
  return matrix;
}

/// Entry i is i mod 11 times `factor`, an integer. In the layout of the matrix's columns, or rows.
enum class Along { columns, rows };
inline OwnedVec make_vector(Mat matrix, Along along, int factor) {
  OwnedVec vector;
  PetscInt first = 0, end = 0;
  REQUIRE_PETSC(along == Along::columns ? MatCreateVecs(matrix, &vector, nullptr)
                                        : MatCreateVecs(matrix, nullptr, &vector));
  VecGetOwnershipRange(vector, &first, &end);
  for (PetscInt i = first; i < end; ++i) {
    VecSetValue(vector, i, static_cast<PetscScalar>(i % 11 * factor), INSERT_VALUES);
  }
  REQUIRE_PETSC(VecAssemblyBegin(vector));
  REQUIRE_PETSC(VecAssemblyEnd(vector));
  return vector;
}

inline bool equal(Vec a, Vec b) {
  PetscBool same = PETSC_FALSE;
  return VecEqual(a, b, &same) == PetscErrorCode(0) && same == PETSC_TRUE;
}

inline std::string type_of(Mat matrix) {
  MatType type = nullptr;
  MatGetType(matrix, &type);
  return type;
}

/// "seqaij" + name on one rank, "mpiaij" + name on several.
inline std::string aij(const char* name = "") {
  return (world().size == 1 ? "seqaij" : "mpiaij") + std::string(name);
}

/// What counts products with `matrix`.
inline const rowhalo::Multiplier& products(Mat matrix,
                                           rowhalo::Side side = rowhalo::Side::forward) {
  rowhalo::Multipliers* all = nullptr;
  REQUIRE(rowhalo::multipliers_of(matrix, rowhalo::Device::cpu, &all) == PetscErrorCode(0));
  return side == rowhalo::Side::forward ? all->forward : all->transposed;
}

/// Collective. All four products of `ours` against those of `reference`, which has the same
/// entries, compared with ==: all numbers are small integers.
inline void require_equal_products(Mat ours, Mat reference) {
  const OwnedVec x = make_vector(ours, Along::columns, 1), z = make_vector(ours, Along::rows, 3);
  const OwnedVec y = make_vector(ours, Along::rows, 0),
                 expected = make_vector(ours, Along::rows, 0);
  const OwnedVec yt = make_vector(ours, Along::columns, 0);
  const OwnedVec expected_t = make_vector(ours, Along::columns, 0);
  REQUIRE_PETSC(MatMult(ours, x, y));
  REQUIRE_PETSC(MatMult(reference, x, expected));
  REQUIRE_ALL_RANKS(equal(y, expected));
  REQUIRE_PETSC(MatMultAdd(ours, x, z, y));
  REQUIRE_PETSC(MatMultAdd(reference, x, z, expected));
  REQUIRE_ALL_RANKS(equal(y, expected));
  REQUIRE_PETSC(MatMultAdd(ours, x, y, y));
  REQUIRE_PETSC(MatMultAdd(reference, x, expected, expected));
  REQUIRE_ALL_RANKS(equal(y, expected));
  REQUIRE_PETSC(MatMultTranspose(ours, z, yt));
  REQUIRE_PETSC(MatMultTranspose(reference, z, expected_t));
  REQUIRE_ALL_RANKS(equal(yt, expected_t));
  REQUIRE_PETSC(MatMultTransposeAdd(ours, z, x, yt));
  REQUIRE_PETSC(MatMultTransposeAdd(reference, z, x, expected_t));
  REQUIRE_ALL_RANKS(equal(yt, expected_t));
}

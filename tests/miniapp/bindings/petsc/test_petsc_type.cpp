// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc's type "rowhalo" against AIJ through PETSc's interface: products by AIJ's functions and by
// operators, changed values and patterns, conversions, products of matrices, solvers.
#include <petscdmda.h>

#include <array>
#include <cstdlib>

#include "tests/miniapp/bindings/petsc/petsc_matrix.hpp"

using rowhalo::Side;

namespace {

// Named, because trials take a third of a second on several ranks.
const PetscSession::Options at_once{{"-mat_rowhalo_after", "0"},
                                    {"-mat_rowhalo_nonzeros", "0"},
                                    {"-mat_rowhalo_format", "sell"},
                                    {"-mat_rowhalo_halo", "mpi"}};

}  // namespace

TEST_CASE("petsc type: products equal AIJ's") {
  for (const auto& [rows, columns] : {std::pair{60, 60}, {40, 90}, {90, 40}, {1, 1}}) {
    const PetscSession session(at_once);
    const OwnedMat ours = make_matrix(MATROWHALO, rows, columns);
    const OwnedMat reference = make_matrix(MATAIJ, rows, columns);
    REQUIRE_ALL_RANKS(type_of(ours) == aij("rowhalo"));
    require_equal_products(ours, reference);
    REQUIRE_ALL_RANKS(products(ours).by_operator == 3 && products(ours).by_aij == 0);
    REQUIRE_ALL_RANKS(products(ours, Side::transposed).by_operator == 2);
    REQUIRE_ALL_RANKS(products(ours, Side::transposed).made == 1);
  }
}

// As GAMG's prolongators have them.
TEST_CASE("petsc type: ranks without columns") {
  const PetscSession session(at_once);
  for (const int owner : {0, world().size - 1}) {
    const PetscInt own = world().rank == owner ? 40 : 0;
    require_equal_products(make_matrix(MATROWHALO, 60, 40, 0, own),
                           make_matrix(MATAIJ, 60, 40, 0, own));
  }
}

TEST_CASE("petsc type: AIJ multiplies until an operator pays") {
  {
    const PetscSession session(
        {{"-mat_rowhalo_after", "4"}, {"-mat_rowhalo_nonzeros", "0"}});  // with trials
    const OwnedMat ours = make_matrix(MATROWHALO, 60, 60);
    const OwnedMat reference = make_matrix(MATAIJ, 60, 60);
    require_equal_products(ours, reference);
    REQUIRE_ALL_RANKS(products(ours).by_aij == 3 && products(ours).made == 0);
    require_equal_products(ours, reference);
    REQUIRE_ALL_RANKS(products(ours).by_aij == 4 && products(ours).by_operator == 2);
    REQUIRE_ALL_RANKS(products(ours, Side::transposed).made == 0);
  }
  const PetscSession session({{"-mat_rowhalo_after", "0"},
                              {"-mat_rowhalo_nonzeros", "1000"},
                              {"-mat_rowhalo_format", "sell"},
                              {"-mat_rowhalo_halo", "mpi"}});
  const OwnedMat small = make_matrix(MATROWHALO, 60, 60);
  require_equal_products(small, make_matrix(MATAIJ, 60, 60));
  REQUIRE_ALL_RANKS(products(small).by_aij == 3 && products(small).made == 0);
  const OwnedMat large = make_matrix(MATROWHALO, 600, 600);
  require_equal_products(large, make_matrix(MATAIJ, 600, 600));
  REQUIRE_ALL_RANKS(products(large).by_aij == 0 && products(large).made == 1);
}

TEST_CASE("petsc type: changed values and patterns are followed") {
  const PetscSession session(at_once);
  const OwnedMat ours = make_matrix(MATROWHALO, 60, 60), reference = make_matrix(MATAIJ, 60, 60);
  require_equal_products(ours, reference);
  for (Mat matrix : {ours.handle, reference.handle}) fill(matrix, 60, 5);
  require_equal_products(ours, reference);
  for (Mat matrix : {ours.handle, reference.handle}) REQUIRE_PETSC(MatScale(matrix, 2));
  require_equal_products(ours, reference);
  REQUIRE_ALL_RANKS(products(ours).by_operator == 9 && products(ours).by_aij == 0);
  REQUIRE_ALL_RANKS(products(ours).made == 2 && products(ours).refilled == 1);
  REQUIRE_ALL_RANKS(products(ours, Side::transposed).refilled == 1);
  for (Mat matrix : {ours.handle, reference.handle}) {
    REQUIRE_PETSC(MatSetOption(matrix, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    if (world().rank == 0) MatSetValue(matrix, 0, 59, 7, INSERT_VALUES);
    REQUIRE_PETSC(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    REQUIRE_PETSC(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  }
  require_equal_products(ours, reference);
}

TEST_CASE("petsc type: values by MatSetValuesCOO are followed") {
  const PetscSession session(at_once);
  std::array<PetscInt, 3> rows{0, 1, 2}, columns{2, 0, 1};
  std::array<OwnedMat, 2> matrices;
  const PetscInt own = world().rank == 0 ? 3 : 0;
  for (int i = 0; i < 2; ++i) {
    REQUIRE_PETSC(MatCreate(PETSC_COMM_WORLD, &matrices[i]));
    REQUIRE_PETSC(MatSetSizes(matrices[i], PETSC_DECIDE, PETSC_DECIDE, 3, 3));
    REQUIRE_PETSC(MatSetType(matrices[i], i == 0 ? MATROWHALO : MATAIJ));
    REQUIRE_PETSC(MatSetPreallocationCOO(matrices[i], own, rows.data(), columns.data()));
  }
  for (const double factor : {1.0, 2.0, 3.0}) {
    const std::array<PetscScalar, 3> values{factor, 4 * factor, 7};
    for (const OwnedMat& matrix : matrices) {
      REQUIRE_PETSC(MatSetValuesCOO(matrix, values.data(), INSERT_VALUES));
    }
    require_equal_products(matrices[0], matrices[1]);
  }
  REQUIRE_ALL_RANKS(products(matrices[0]).by_operator == 9);
}

TEST_CASE("petsc type: a format that takes no new values is made again") {
  const PetscSession session({{"-mat_rowhalo_after", "0"},
                              {"-mat_rowhalo_nonzeros", "0"},
                              {"-mat_rowhalo_format", "jds"},
                              {"-mat_rowhalo_halo", "mpi"}});
  const OwnedMat ours = make_matrix(MATROWHALO, 60, 60), reference = make_matrix(MATAIJ, 60, 60);
  for (int seed = 1; seed <= 3; ++seed) {
    for (Mat matrix : {ours.handle, reference.handle}) fill(matrix, 60, seed);
    require_equal_products(ours, reference);
  }
  REQUIRE_ALL_RANKS(products(ours).made == 3 && products(ours).refilled == 0);
}

TEST_CASE("petsc type: a symmetric matrix serves for its transpose") {
  const PetscSession session(at_once);
  const OwnedMat half = make_matrix(MATAIJ, 60, 60);
  OwnedMat ours, reference;
  REQUIRE_PETSC(MatTranspose(half, MAT_INITIAL_MATRIX, &reference));
  REQUIRE_PETSC(MatAXPY(reference, 1, half, DIFFERENT_NONZERO_PATTERN));
  REQUIRE_PETSC(MatConvert(reference, MATROWHALO, MAT_INITIAL_MATRIX, &ours));
  REQUIRE_PETSC(MatSetOption(ours, MAT_SYMMETRIC, PETSC_TRUE));
  require_equal_products(ours, reference);
  REQUIRE_ALL_RANKS(products(ours).by_operator == 5 && products(ours).made == 1);
  REQUIRE_ALL_RANKS(products(ours, Side::transposed).by_operator == 0);
}

TEST_CASE("petsc type: duplicates and conversions") {
  const PetscSession session(at_once);
  const OwnedMat reference = make_matrix(MATAIJ, 60, 60);
  OwnedMat ours, copy, back, dense, blocks;
  REQUIRE_PETSC(MatConvert(reference, MATROWHALO, MAT_INITIAL_MATRIX, &ours));
  REQUIRE_ALL_RANKS(type_of(ours) == aij("rowhalo") && type_of(reference) == aij());
  require_equal_products(ours, reference);
  REQUIRE_PETSC(MatDuplicate(ours, MAT_COPY_VALUES, &copy));
  REQUIRE_ALL_RANKS(type_of(copy) == aij("rowhalo") && products(copy).made == 0);
  require_equal_products(copy, reference);

  REQUIRE_PETSC(MatConvert(ours, MATAIJ, MAT_INITIAL_MATRIX, &back));
  REQUIRE_ALL_RANKS(type_of(back) == aij() && type_of(ours) == aij("rowhalo"));
  require_equal_products(back, reference);
  REQUIRE_PETSC(MatConvert(copy, MATAIJ, MAT_INPLACE_MATRIX, &copy));
  REQUIRE_ALL_RANKS(type_of(copy) == aij());
  require_equal_products(copy, reference);
  REQUIRE_PETSC(MatConvert(copy, MATROWHALO, MAT_INPLACE_MATRIX, &copy));
  REQUIRE_ALL_RANKS(type_of(copy) == aij("rowhalo"));
  require_equal_products(copy, reference);
  REQUIRE_ALL_RANKS(products(copy).by_operator == 3);
  REQUIRE_PETSC(MatConvert(copy, MATROWHALO, MAT_INPLACE_MATRIX, &copy));
  require_equal_products(copy, reference);

  REQUIRE_PETSC(MatConvert(ours, MATDENSE, MAT_INITIAL_MATRIX, &dense));
  require_equal_products(dense, reference);
  REQUIRE_PETSC(MatConvert(dense, MATROWHALO, MAT_INPLACE_MATRIX, &dense));
  REQUIRE_ALL_RANKS(type_of(dense) == aij("rowhalo"));
  require_equal_products(dense, reference);
  REQUIRE_PETSC(MatConvert(ours, MATBAIJ, MAT_INITIAL_MATRIX, &blocks));
  require_equal_products(blocks, reference);
  REQUIRE_PETSC(MatSetType(back, MATROWHALO));  // of an assembled matrix: keeps its entries
  require_equal_products(back, reference);
}

// MatTranspose and MatAXPY move another matrix into the header of this one (MatHeaderMerge).
TEST_CASE("petsc type: matrices that PETSc merges and replaces") {
  const PetscSession session(at_once);
  OwnedMat ours = make_matrix(MATROWHALO, 60, 40), reference = make_matrix(MATAIJ, 60, 40);
  require_equal_products(ours, reference);
  REQUIRE_PETSC(MatTranspose(ours, MAT_INPLACE_MATRIX, &ours));
  REQUIRE_PETSC(MatTranspose(reference, MAT_INPLACE_MATRIX, &reference));
  REQUIRE_ALL_RANKS(type_of(ours) == aij("rowhalo"));
  require_equal_products(ours, reference);
  REQUIRE_ALL_RANKS(products(ours).by_operator > 0);
  for (Mat matrix : {ours.handle, reference.handle}) {
    REQUIRE_PETSC(MatAXPY(matrix, 3, make_matrix(MATAIJ, 40, 60, 4), DIFFERENT_NONZERO_PATTERN));
  }
  require_equal_products(ours, reference);
  for (const char* type : {MATROWHALO, MATAIJ}) {
    const OwnedMat replaced = make_matrix(MATROWHALO, 60, 60);
    require_equal_products(replaced, make_matrix(MATAIJ, 60, 60));
    OwnedMat other = make_matrix(type, 60, 60, 2);
    require_equal_products(other, make_matrix(MATAIJ, 60, 60, 2));
    REQUIRE_PETSC(MatHeaderReplace(replaced, &other));
    require_equal_products(replaced, make_matrix(MATAIJ, 60, 60, 2));
  }
}

TEST_CASE("petsc type: products of matrices equal AIJ's") {
  const PetscSession session(at_once);
  const OwnedMat ours = make_matrix(MATROWHALO, 60, 60), reference = make_matrix(MATAIJ, 60, 60);
  const OwnedMat dense = make_matrix(MATDENSE, 60, 8, 1);
  const OwnedMat other = make_matrix(MATAIJ, 60, 20, 3);
  for (Mat factor : {dense.handle, other.handle}) {
    OwnedMat product, expected;
    PetscBool same = PETSC_FALSE;
    REQUIRE_PETSC(MatMatMult(ours, factor, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
    REQUIRE_PETSC(MatMatMult(reference, factor, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
    REQUIRE_PETSC(MatEqual(product, expected, &same));
    REQUIRE_ALL_RANKS(same == PETSC_TRUE);
    REQUIRE_ALL_RANKS(products(ours).by_operator == 0);  // no product per column
  }
  OwnedMat product, expected;
  PetscBool same = PETSC_FALSE;
  REQUIRE_PETSC(MatPtAP(ours, other, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
  REQUIRE_PETSC(MatPtAP(reference, other, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
  REQUIRE_PETSC(MatEqual(product, expected, &same));
  REQUIRE_ALL_RANKS(same == PETSC_TRUE);
}

TEST_CASE("petsc type: solvers on a grid's matrix iterate as with AIJ") {
  for (const char* preconditioner : {"none", "jacobi", "bjacobi", "gamg"}) {
    std::array<PetscInt, 2> iterations{};
    const std::array<const char*, 2> types{MATAIJ, MATROWHALO};
    for (int i = 0; i < 2; ++i) {
      const PetscSession session({{"-mat_rowhalo_after", "1"},
                                  {"-mat_rowhalo_nonzeros", "0"},
                                  {"-mat_rowhalo_format", "csr"},
                                  {"-mat_rowhalo_halo", "mpi"},
                                  {"-ksp_type", "cg"},
                                  {"-ksp_rtol", "1e-8"},
                                  {"-pc_type", preconditioner}});
      DM grid = nullptr;
      REQUIRE_PETSC(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                                 DMDA_STENCIL_STAR, 17, 17, PETSC_DECIDE, PETSC_DECIDE, 1, 1,
                                 nullptr, nullptr, &grid));
      REQUIRE_PETSC(DMSetMatType(grid, types[i]));
      REQUIRE_PETSC(DMSetUp(grid));
      REQUIRE_PETSC(DMDASetUniformCoordinates(grid, 0, 1, 0, 1, 0, 1));
      KSP solver = nullptr;
      REQUIRE_PETSC(KSPCreate(PETSC_COMM_WORLD, &solver));
      REQUIRE_PETSC(KSPSetDM(solver, grid));
      const auto assemble = [](KSP, Mat, Mat matrix, void*) {
        DM of_matrix = nullptr;
        MatGetDM(matrix, &of_matrix);
        DMDALocalInfo info;
        DMDAGetLocalInfo(of_matrix, &info);
        for (PetscInt j = info.ys; j < info.ys + info.ym; ++j) {
          for (PetscInt k = info.xs; k < info.xs + info.xm; ++k) {
            MatStencil row{0, j, k, 0};
            const auto put = [&](PetscInt y, PetscInt x, PetscScalar value) {
              if (x < 0 || y < 0 || x >= info.mx || y >= info.my) return;
              MatStencil column{0, y, x, 0};
              MatSetValuesStencil(matrix, 1, &row, 1, &column, &value, INSERT_VALUES);
            };
            put(j, k, 4);
            put(j - 1, k, -1);
            put(j + 1, k, -1);
            put(j, k - 1, -1);
            put(j, k + 1, -1);
          }
        }
        MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
        return MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
      };
      REQUIRE_PETSC(KSPSetComputeOperators(solver, assemble, nullptr));
      REQUIRE_PETSC(KSPSetFromOptions(solver));
      OwnedVec x, b;
      REQUIRE_PETSC(DMCreateGlobalVector(grid, &x));
      REQUIRE_PETSC(VecDuplicate(x, &b));
      REQUIRE_PETSC(VecSet(b, 1));
      REQUIRE_PETSC(KSPSolve(solver, b, x));
      REQUIRE_PETSC(KSPGetIterationNumber(solver, &iterations[i]));
      Mat matrix = nullptr;
      REQUIRE_PETSC(KSPGetOperators(solver, &matrix, nullptr));
      CAPTURE(preconditioner, products(matrix).by_aij, products(matrix).by_operator);
      REQUIRE_ALL_RANKS(i == 0 || products(matrix).by_operator > 0);
      REQUIRE_PETSC(KSPDestroy(&solver));
      REQUIRE_PETSC(DMDestroy(&grid));
    }
    INFO(preconditioner);
    REQUIRE_ALL_RANKS(iterations[0] > 0 && std::abs(iterations[0] - iterations[1]) <= 1);
  }
}

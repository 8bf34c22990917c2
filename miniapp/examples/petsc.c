/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of PETSc's, which knows nothing of Rowhalo: time steps of heat in a square of n x n
 * points, (1 + 4 dt - dt stencil5) u_new = u, with a dt that grows. Rowhalo multiplies where the
 * command line says so: mpicc petsc.c $(pkg-config --cflags --libs petsc) -o example_petsc mpirun
 * -n 3 example_petsc -dll_append PREFIX/lib/librowhalo_petsc.so -mat_type rowhalo -mat_rowhalo_view
 */
#include <petscksp.h>

/* Row (i, j) of the matrix for a time step dt. */
static PetscErrorCode set_row(Mat A, PetscInt n, PetscInt row, PetscReal dt) {
  const PetscInt i = row / n, j = row % n;
  const PetscInt columns[5] = {row, row - n, row - 1, row + 1, row + n};
  const PetscBool there[5] = {PETSC_TRUE, i > 0, j > 0, j + 1 < n, i + 1 < n};
  PetscFunctionBegin;
  for (int k = 0; k < 5; k++) {
    if (there[k])
      PetscCall(MatSetValue(A, row, columns[k], k == 0 ? 1 + 4 * dt : -dt, INSERT_VALUES));
  }
  PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
  PetscInt n = 60, steps = 3, first, end, iterations, all = 0;
  PetscReal norm;
  Mat A;
  Vec u, b;
  KSP solver;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-steps", &steps, NULL));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  PetscCall(MatCreateVecs(A, &u, &b));
  PetscCall(VecSet(u, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetType(solver, KSPCG));
  PetscCall(KSPSetFromOptions(solver));
  for (PetscInt step = 1; step <= steps; step++) {
    for (PetscInt row = first; row < end; row++) PetscCall(set_row(A, n, row, 2.0 * step));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(VecCopy(u, b));
    PetscCall(KSPSetOperators(solver, A, A));
    PetscCall(KSPSolve(solver, b, u));
    PetscCall(KSPGetIterationNumber(solver, &iterations));
    all += iterations;
  }
  PetscCall(VecNorm(u, NORM_2, &norm));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d iterations, norm %.6g\n", (int)all, (double)norm));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

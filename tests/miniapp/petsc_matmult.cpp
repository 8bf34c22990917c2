// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc alone: MatMult of stencil27:N (N^3 points, 26 on the diagonal, -1 beside it), rows in even
// shares. Shows that the petsc_seconds of a rowhalo report is what PETSc takes by itself:
//   mpirun -n 4 petsc_matmult 128
#include <petscmat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  const PetscInt n = argc > 1 ? std::atoi(argv[1]) : 96, rows = n * n * n;
  PetscInitializeNoArguments();
  Mat a;
  MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, rows, rows, 27, nullptr, 27, nullptr,
               &a);
  PetscInt first, last;
  MatGetOwnershipRange(a, &first, &last);
  for (PetscInt row = first; row < last; ++row) {
    const PetscInt px = row % n, py = row / n % n, pz = row / (n * n);
    for (PetscInt z = std::max(pz - 1, 0); z <= std::min(pz + 1, n - 1); ++z)
      for (PetscInt y = std::max(py - 1, 0); y <= std::min(py + 1, n - 1); ++y)
        for (PetscInt x = std::max(px - 1, 0); x <= std::min(px + 1, n - 1); ++x) {
          const PetscInt column = x + n * (y + n * z);
          MatSetValue(a, row, column, column == row ? 26.0 : -1.0, INSERT_VALUES);
        }
  }
  MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY);
  Vec x, y;
  MatCreateVecs(a, &x, &y);
  VecSet(x, 1.0);
  std::vector<double> seconds;
  for (int batch = 0; batch < 41; ++batch) {
    MPI_Barrier(PETSC_COMM_WORLD);
    double time = -MPI_Wtime();
    for (int k = 0; k < 10; ++k) MatMult(a, x, y);
    time = (time + MPI_Wtime()) / 10;
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    if (batch > 0) seconds.push_back(time);
  }
  std::sort(seconds.begin(), seconds.end());
  if (first == 0) std::printf("PETSc MatMult: median %.6g s\n", seconds[seconds.size() / 2]);
  PetscFinalize();
}

// SPDX-License-Identifier: BSD-3-Clause
//
// -u'' = f in two dimensions from C: the 5-point stencil on a square grid, whose rows the ranks
// share, solved by CG. mpirun -n 3 example_poisson_c
#include <math.h>
#include <rowhalo.h>
#include <stdio.h>
#include <stdlib.h>

enum { side = 64, points = side * side };

// Entries of one row of the stencil, in the columns of the whole matrix. Returns how many.
static int stencil(int row, int* columns, double* values) {
  const int x = row % side, y = row / side;
  const int neighbours[] = {y > 0 ? row - side : -1, x > 0 ? row - 1 : -1, row,
                            x < side - 1 ? row + 1 : -1, y < side - 1 ? row + side : -1};
  int count = 0;
  for (int k = 0; k < 5; ++k) {
    if (neighbours[k] < 0) continue;
    columns[count] = neighbours[k];
    values[count++] = neighbours[k] == row ? 4 : -1;
  }
  return count;
}

// Not every error of a product is known to all ranks, so one ends the program for all.
static void check(int code) {
  if (code == ROWHALO_SUCCESS) return;
  fprintf(stderr, "%s\n", rowhalo_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  int rank, ranks, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int first = points * rank / ranks, own = points * (rank + 1) / ranks - first;
  int* offsets = calloc(own + 1, sizeof(int));
  int* columns = malloc(5 * own * sizeof(int));
  double *values = malloc(5 * own * sizeof(double)), *b = malloc(3 * own * sizeof(double));
  double *x = b + own, *ones = x + own, error = 0;
  for (int i = 0; i < own; ++i) {
    offsets[i + 1] = offsets[i] + stencil(first + i, columns + offsets[i], values + offsets[i]);
    ones[i] = 1;
  }

  const rowhalo_csr rows = {own, own, offsets, columns, values, 4, 4, 8};
  rowhalo_operator* a = NULL;
  rowhalo_solver* cg = NULL;
  rowhalo_report report;
  check(rowhalo_create(MPI_COMM_WORLD, &rows, NULL, &a));
  check(rowhalo_apply(a, 1, ones, 0, b, NULL));  // b = A 1, so the solution is 1
  check(rowhalo_solver_create(a, "method=cg; tolerance=1e-10", NULL, &cg));
  check(rowhalo_solve(cg, b, x, &report));
  for (int i = 0; i < own; ++i) error = fmax(error, fabs(x[i] - 1));
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s after %d iterations, largest error %.1e\n", report.end, (int)report.iterations,
           error);
  check(rowhalo_solver_destroy(&cg));
  check(rowhalo_destroy(&a));
  free(offsets), free(columns), free(values), free(b);
  MPI_Finalize();
  return report.converged && error < 1e-7 ? 0 : 1;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// The C interface, from what rowhalo.h says: every function, arrays of all sizes, rectangular and
// transposed matrices, solvers, and calls that fail on one rank. Entries are small integers, so
// results are exact.
#include "miniapp/bindings/c/rowhalo.h"

#include "tests/miniapp/bindings/checks.h"

static int rank, ranks;

// Rows of this rank: 5 + rank, but none on rank 1; owned columns: 4, but none on rank 2.
static int64_t rows_of(int r) {
  return r == 1 ? 0 : 5 + r;
}
static int64_t columns_of(int r) {
  return r == 2 ? 0 : 4;
}

static int64_t sum_below(int64_t (*count)(int), int r) {
  int64_t sum = 0;
  for (int k = 0; k < r; ++k) sum += count(k);
  return sum;
}

// Up to three entries per row; every fourth row is empty, and some have a column twice.
static int entries_of(int64_t row) {
  return row % 4 == 3 ? 0 : 3;
}
static int64_t column_of(int64_t row, int k, int64_t all) {
  return (row * 7 + (k == 2 ? 1 : k * 5)) % all;
}
static double value_of(int64_t row, int k) {
  return (double)((row * 3 + k * 2) % 7 - 3);
}
static double x_of(int64_t number) {
  return (double)(number % 5 - 2);
}

// The arrays of a rank's rows in all sizes.
static struct {
  int32_t offsets4[40], columns4[120];
  int64_t offsets8[40], columns8[120];
  float values4[120];
  double values8[120];
} own;

static rowhalo_csr rows_with(int offset_bytes, int column_bytes, int value_bytes) {
  const int64_t first = sum_below(rows_of, rank), all = sum_below(columns_of, ranks);
  int64_t count = 0;
  own.offsets4[0] = 0;
  own.offsets8[0] = 0;
  for (int64_t i = 0; i < rows_of(rank); ++i) {
    for (int k = 0; k < entries_of(first + i); ++k, ++count) {
      own.columns8[count] = column_of(first + i, k, all);
      own.columns4[count] = (int32_t)own.columns8[count];
      own.values8[count] = value_of(first + i, k);
      own.values4[count] = (float)own.values8[count];
    }
    own.offsets8[i + 1] = count;
    own.offsets4[i + 1] = (int32_t)count;
  }
  rowhalo_csr rows = {rows_of(rank), columns_of(rank), own.offsets8, own.columns8,
                      own.values8,   offset_bytes,     column_bytes, value_bytes};
  if (offset_bytes == 4) rows.offsets = own.offsets4;
  if (column_bytes == 4) rows.columns = own.columns4;
  if (value_bytes == 4) rows.values = own.values4;
  return rows;
}

// Entry i of A x on this rank, or of the transpose of A, from all rows.
static double expected(int64_t i, int transpose) {
  const int64_t all_rows = sum_below(rows_of, ranks), all = sum_below(columns_of, ranks);
  const int64_t number = sum_below(transpose ? columns_of : rows_of, rank) + i;
  double sum = 0;
  for (int64_t row = 0; row < all_rows; ++row) {
    for (int k = 0; k < entries_of(row); ++k) {
      const int64_t column = column_of(row, k, all);
      if (!transpose && row == number) sum += value_of(row, k) * x_of(column);
      if (transpose && column == number) sum += value_of(row, k) * x_of(row);
    }
  }
  return sum;
}

// Collective. Two products, so that both halo vectors are used.
static void check_products(rowhalo_operator* op, int transpose, int value_bytes) {
  rowhalo_operator_info info;
  CHECK_OK(rowhalo_get_info(op, &info));
  CHECK(info.owned_rows == (transpose ? columns_of(rank) : rows_of(rank)));
  CHECK(info.owned_columns == (transpose ? rows_of(rank) : columns_of(rank)));
  CHECK(info.rows == sum_below(transpose ? columns_of : rows_of, ranks));
  CHECK(info.columns == sum_below(transpose ? rows_of : columns_of, ranks));
  CHECK(info.vector_bytes == value_bytes && info.on_gpu == 0);
  CHECK(info.copied_bytes >= 0 && info.copied_bytes <= 2 * value_bytes * info.owned_columns + 8);
  const int64_t first = sum_below(transpose ? rows_of : columns_of, rank);
  for (int round = 0; round < 2; ++round) {
    double x8[40], y8[40];
    float x4[40], y4[40];
    for (int k = 0; k < 40; ++k) {
      x8[k] = x_of(first + k);
      x4[k] = (float)x8[k];
      y8[k] = y4[k] = 2;
    }
    if (value_bytes == 8) CHECK_OK(rowhalo_apply(op, 3, x8, 0.5, y8, NULL));
    if (value_bytes == 4) CHECK_OK(rowhalo_apply_float(op, 3, x4, 0.5F, y4, NULL));
    CHECK_OK(rowhalo_check(op, NULL));
    int right = 1;
    for (int64_t i = 0; i < info.owned_rows; ++i) {
      const double y = value_bytes == 8 ? y8[i] : (double)y4[i];
      right = right && y == 3 * expected(i, transpose) + 1;
    }
    CHECK(right);
    CHECK(y8[info.owned_rows] == 2 && y4[info.owned_rows] == 2);
  }
}

static void test_arrays_of_all_sizes(void) {
  for (int sizes = 0; sizes < 8; ++sizes) {
    const int offset = sizes & 1 ? 4 : 8, column = sizes & 2 ? 4 : 8, value = sizes & 4 ? 4 : 8;
    const rowhalo_csr rows = rows_with(offset, column, value);
    const int64_t entries = own.offsets8[rows.rows];
    const int64_t converted = (offset == 4 ? 4 * (rows.rows + 1) : 0) +
                              (column == 4 ? 4 * entries : 0) + (value == 4 ? 4 * entries : 0);
    rowhalo_operator* op = NULL;
    CHECK_OK(rowhalo_create(MPI_COMM_WORLD, &rows, "format=csr; transport=mpi", &op));
    rowhalo_operator_info info;
    CHECK_OK(rowhalo_get_info(op, &info));
    CHECK(info.converted_bytes == converted);
    check_products(op, 0, value);
    CHECK_OK(rowhalo_destroy(&op));
    CHECK(op == NULL);
  }
}

static void test_transpose_and_tuning(void) {
  const rowhalo_csr rows = rows_with(8, 4, 8);
  rowhalo_operator *op = NULL, *again = NULL;
  const char *text = NULL, *text_again = NULL;
  CHECK_OK(rowhalo_create_f((int)MPI_Comm_c2f(MPI_COMM_WORLD), &rows, "transpose = on", &op));
  check_products(op, 1, 8);
  CHECK_OK(rowhalo_tuning(op, &text));
  CHECK(strstr(text, "transpose=on") != NULL && strstr(text, "precision=fp64") != NULL);
  CHECK_OK(rowhalo_create(MPI_COMM_WORLD, &rows, text, &again));
  check_products(again, 1, 8);
  CHECK_OK(rowhalo_tuning(again, &text_again));
  CHECK(strcmp(text, text_again) == 0);
  CHECK_OK(rowhalo_destroy(&again));
  CHECK_OK(rowhalo_destroy(&op));
  CHECK_OK(rowhalo_create(MPI_COMM_WORLD, &rows, "precision=fp32; format=sell:c=4; order=blocking;",
                          &op));
  check_products(op, 0, 4);
  CHECK_OK(rowhalo_destroy(&op));
  CHECK_OK(rowhalo_destroy(&op));
}

// New values in the order of the rows that were given, where places come twice and out of order.
static void test_refill(void) {
  const char* options[] = {"refillable=on; format=csr; transport=mpi", "refillable=on"};
  for (int k = 0; k < 2; ++k) {
    const rowhalo_csr rows = rows_with(8, 4, 8);
    double values[120];
    memcpy(values, own.values8, sizeof values);
    memset(own.values8, 0, sizeof own.values8);
    rowhalo_operator* op = NULL;
    CHECK_OK(rowhalo_create(MPI_COMM_WORLD, &rows, options[k], &op));
    CHECK_OK(rowhalo_refill(op, values, NULL));
    memset(values, 0, sizeof values);
    check_products(op, 0, 8);
    CHECK_OK(rowhalo_destroy(&op));
  }
}

// tridiag(-1, 3, -1 - skew), six rows per rank.
static rowhalo_csr tridiagonal(double skew) {
  const int64_t first = 6 * rank, all = 6 * ranks;
  int64_t count = 0;
  own.offsets8[0] = 0;
  for (int64_t row = first; row < first + 6; ++row) {
    for (int64_t column = row - 1; column <= row + 1; ++column) {
      if (column < 0 || column >= all) continue;
      own.columns8[count] = column;
      own.values8[count++] = column == row ? 3 : column < row ? -1 : -1 - skew;
    }
    own.offsets8[row - first + 1] = count;
  }
  const rowhalo_csr rows = {6, 6, own.offsets8, own.columns8, own.values8, 8, 8, 8};
  return rows;
}

static void test_solvers(void) {
  const char* methods[] = {"method=cg; preconditioner=jacobi; tolerance=1e-12; norm=natural",
                           "method=bicgstab; tolerance=1e-12; reproducible=on"};
  for (int m = 0; m < 2; ++m) {
    const rowhalo_csr rows = tridiagonal(m);
    rowhalo_operator* op = NULL;
    rowhalo_solver* solver = NULL;
    CHECK_OK(rowhalo_create(MPI_COMM_WORLD, &rows, "format=csr; transport=mpi", &op));
    CHECK_OK(rowhalo_solver_create(op, methods[m], NULL, &solver));
    CHECK_FAILS(rowhalo_destroy(&op), ROWHALO_BAD_INPUT, "has solvers");
    for (int round = 0; round < 2; ++round) {
      double ones[6] = {1, 1, 1, 1, 1, 1}, b[6], x[6], norms[2];
      rowhalo_report report;
      int64_t count = 0;
      CHECK_OK(rowhalo_apply(op, 1 + round, ones, 0, b, NULL));
      CHECK_OK(rowhalo_solve(solver, b, x, round == 0 ? &report : NULL));
      int right = 1;
      for (int i = 0; i < 6; ++i)
        right = right && x[i] - 1 - round < 1e-9 && 1 + round - x[i] < 1e-9;
      CHECK(right);
      CHECK_OK(rowhalo_solver_norms(solver, NULL, 0, &count));
      CHECK_OK(rowhalo_solver_norms(solver, norms, 2, &count));
      CHECK(norms[0] > norms[1]);
      if (round != 0) continue;
      CHECK(report.converged == 1 && strcmp(report.end, "converged") == 0);
      CHECK(report.iterations == count - 1 && report.first_norm == norms[0]);
      CHECK(report.last_norm <= 1e-12 * report.first_norm && report.seconds > 0);
    }
    double b[6] = {1, 2, 3, 4, 5, 6}, x[6];
    rowhalo_report report;
    CHECK_FAILS(rowhalo_solve(solver, rank == ranks - 1 ? NULL : b, x, NULL), ROWHALO_BAD_INPUT,
                "b is NULL");
    CHECK_FAILS(rowhalo_solve(solver, b, b, NULL), ROWHALO_BAD_INPUT, "must not overlap");
    CHECK_OK(rowhalo_solver_destroy(&solver));
    CHECK_OK(rowhalo_solver_destroy(&solver));
    CHECK_OK(rowhalo_solver_create(op, "max_iterations=1; preconditioner=none", NULL, &solver));
    CHECK_OK(rowhalo_solve(solver, b, x, &report));
    CHECK(report.converged == 0 && report.iterations == 1);
    CHECK_OK(rowhalo_solver_destroy(&solver));
    CHECK_FAILS(rowhalo_solver_create(op, "method=gc", NULL, &solver), ROWHALO_BAD_INPUT, "cg");
    CHECK_FAILS(rowhalo_solver_create(op, "tolerance=small", NULL, &solver), ROWHALO_BAD_INPUT,
                "a positive number");
    CHECK_OK(rowhalo_destroy(&op));
  }
}

// One rank is wrong, and all are told so.
static void test_failures(void) {
  const int wrong = rank == ranks - 1;
  rowhalo_operator* op = NULL;
  rowhalo_csr rows = tridiagonal(0);
#define CREATE_FAILS(rows, options, words) \
  CHECK_FAILS(rowhalo_create(MPI_COMM_WORLD, rows, options, &op), ROWHALO_BAD_INPUT, words)
  CREATE_FAILS(wrong ? NULL : &rows, NULL, "rows is NULL");
  CREATE_FAILS(&rows, "formt=csr", "did you mean format?");
  CREATE_FAILS(&rows, "format=crs", "csr");
  CREATE_FAILS(&rows, "transpose=maybe", "on or off");
  CREATE_FAILS(&rows, "transpose=on; refillable=on", "goes without transpose=on");
  CREATE_FAILS(&rows, "device=cpu; tuning=file.json", "leave these options out");
  CREATE_FAILS(&rows, "tuning=no/such/file.json", "no/such/file.json");
  CHECK_FAILS(rowhalo_create(MPI_COMM_WORLD, &rows, NULL, wrong ? NULL : &op), ROWHALO_BAD_INPUT,
              "op is NULL");
  if (ranks > 1) CREATE_FAILS(&rows, wrong ? "format=sell" : "format=csr", "differ between ranks");
  if (wrong) own.columns8[0] = 6 * ranks;
  CREATE_FAILS(&rows, NULL, "owned columns of all ranks are");
  rows = tridiagonal(0);
  if (wrong) own.offsets8[3] = 17;
  CREATE_FAILS(&rows, NULL, "ascend from 0");
  rows = tridiagonal(0);
  if (wrong) rows.values = NULL;
  CREATE_FAILS(&rows, NULL, "values is NULL");
  rows = tridiagonal(0);
  if (wrong) rows.column_bytes = 2;
  CREATE_FAILS(&rows, NULL, "column_bytes is 2");
  CHECK(op == NULL);
  rows = tridiagonal(0);
  CHECK_FAILS(rowhalo_create(MPI_COMM_NULL, &rows, NULL, &op), ROWHALO_BAD_INPUT, "MPI_COMM_NULL");
  CHECK_OK(rowhalo_create(MPI_COMM_WORLD, &rows, "format=csr; transport=mpi", &op));
  double x[6] = {0}, y[6];
  float single[6] = {0};
  CHECK_FAILS(rowhalo_apply(op, 1, NULL, 0, y, NULL), ROWHALO_BAD_INPUT, "x is NULL");
  CHECK_FAILS(rowhalo_apply(op, 1, x, 0, x, NULL), ROWHALO_BAD_INPUT, "must not overlap");
  CHECK_FAILS(rowhalo_apply(NULL, 1, x, 0, y, NULL), ROWHALO_BAD_INPUT, "op is NULL");
  CHECK_FAILS(rowhalo_apply_float(op, 1, single, 0, single + 6, NULL), ROWHALO_BAD_INPUT, "fp64");
  CHECK_FAILS(rowhalo_refill(op, own.values8, NULL), ROWHALO_BAD_INPUT, "refillable=on");
  CHECK_FAILS(rowhalo_get_info(op, NULL), ROWHALO_BAD_INPUT, "info is NULL");
  CHECK_FAILS(rowhalo_tuning(NULL, NULL), ROWHALO_BAD_INPUT, "op is NULL");
  CHECK_FAILS(rowhalo_version(NULL), ROWHALO_BAD_INPUT, "version is NULL");
  CHECK_OK(rowhalo_destroy(&op));
}

int main(void) {
  int version[3], world = 0, started = 0;
  rowhalo_operator* op = NULL;
  if (rowhalo_create_f(0, NULL, NULL, &op) != ROWHALO_BAD_INPUT) return 1;
  if (strstr(rowhalo_error(), "has not been started") == NULL) return 1;
  if (rowhalo_start(&world, &ranks, &started) != ROWHALO_SUCCESS || !started) return 1;
  if (MPI_Comm_f2c(world) != MPI_COMM_WORLD) return 1;
  const int started_ranks = ranks;
  CHECK_OK(rowhalo_start(&world, &ranks, &started));
  CHECK(started == 0);
  CHECK_OK(rowhalo_version(version));
  CHECK(version[0] == 1);
  // What programs that are not compiled again rely on.
  CHECK(sizeof(rowhalo_csr) == 56 && sizeof(rowhalo_operator_info) == 56);
  CHECK(sizeof(rowhalo_report) == 48);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(ranks == started_ranks);
  test_arrays_of_all_sizes();
  test_transpose_and_tuning();
  test_refill();
  test_solvers();
  test_failures();
  const rowhalo_csr rows = tridiagonal(0);
  CHECK_OK(rowhalo_create(MPI_COMM_WORLD, &rows, "format=csr; transport=mpi", &op));
  if (rowhalo_end() != ROWHALO_SUCCESS || rowhalo_end() != ROWHALO_SUCCESS) return 1;
  if (rowhalo_destroy(&op) != ROWHALO_SUCCESS || op != NULL) return 1;
  return 0;
}

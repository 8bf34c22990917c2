// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc's MatMult as reference and baseline (petsc.hpp).
#include "miniapp/bench/petsc.hpp"

#ifdef ROWHALO_HAVE_PETSC

#include <fmt/format.h>
#include <petscmat.h>

#include <cstdlib>
#include <limits>
#include <numeric>

#include "io/host_memory.hpp"
#include "partition/base/checked_cast.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

void check_petsc(PetscErrorCode code, const char* call, const char* file, int line) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw std::runtime_error(
      fmt::format("{}:{}: {} failed: {}", file, line, call, text ? text : "unknown error"));
}
#define ROWHALO_PETSC(call) check_petsc((call), #call, __FILE__, __LINE__)

/// PETSc from its start to its end, deaf to the environment.
class PetscSession {
 public:
  explicit PetscSession(const Comm& comm) {
    unsetenv("PETSC_OPTIONS");
    PETSC_COMM_WORLD = comm.handle;
    ROWHALO_PETSC(PetscOptionsSetValue(nullptr, "-skip_petscrc", "true"));
    ROWHALO_PETSC(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
    ROWHALO_PETSC(PetscInitializeNoArguments());
    ROWHALO_PETSC(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  }
  void close() { ROWHALO_PETSC(PetscFinalize()); }
};

/// Why PETSc cannot hold the matrix, or empty. The same on all ranks.
std::string reason_against(const Comm& comm, const LocalMatrix& matrix) {
  constexpr std::int64_t limit = std::numeric_limits<PetscInt>::max();
  if (matrix.info.rows > limit || matrix.info.columns > limit ||
      max_over_ranks(comm, matrix.offsets.back()) > limit) {
    return fmt::format("this PETSc has {}-bit indices, too few for this matrix",
                       8 * sizeof(PetscInt));
  }
  // Values and columns once, and as much again while they are assembled.
  const std::int64_t needed = matrix.offsets.back() * (sizeof(PetscScalar) + sizeof(PetscInt)) * 2;
  const bool fits = needed < available_host_bytes() / comm.most_on_host();
  if (max_over_ranks(comm, std::int64_t{fits ? 0 : 1}) != 0) {
    return "the memory left on a node does not hold a second copy of the matrix";
  }
  return {};
}

/// Local columns as new global numbers, in PETSc's index type.
std::vector<PetscInt> global_columns(const Comm& comm, const LocalMatrix& matrix) {
  std::vector<PetscInt> numbers(matrix.local_columns());
  const GlobalIndex first = matrix.columns.starts[comm.rank];
  for (LocalIndex column = 0; column < matrix.local_columns(); ++column) {
    numbers[column] = checked_cast<PetscInt>(column < matrix.owned_columns
                                                 ? first + column
                                                 : matrix.ghosts[column - matrix.owned_columns],
                                             "column for PETSc");
  }
  return numbers;
}

void preallocate(Mat petsc, const LocalMatrix& matrix) {
  std::vector<PetscInt> diagonal(matrix.owned_rows), off_diagonal(matrix.owned_rows);
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      ++(matrix.indices[k] < matrix.owned_columns ? diagonal : off_diagonal)[row];
    }
  }
  ROWHALO_PETSC(MatSeqAIJSetPreallocation(petsc, 0, diagonal.data()));
  ROWHALO_PETSC(MatMPIAIJSetPreallocation(petsc, 0, diagonal.data(), 0, off_diagonal.data()));
}

Mat make_matrix(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                Progress& progress) {
  Mat petsc = nullptr;
  ROWHALO_PETSC(MatCreate(comm.handle, &petsc));
  ROWHALO_PETSC(MatSetSizes(petsc, matrix.owned_rows, matrix.owned_columns, matrix.info.rows,
                            matrix.info.columns));
  ROWHALO_PETSC(MatSetType(petsc, MATAIJ));
  preallocate(petsc, matrix);
  const std::vector<PetscInt> numbers = global_columns(comm, matrix);
  std::vector<PetscInt> columns;
  std::vector<PetscScalar> values;
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    columns.clear();
    values.clear();
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      columns.push_back(numbers[matrix.indices[k]]);
      values.push_back(rounded_to(matrix_type(precision), matrix.values[k]));
    }
    const auto number = static_cast<PetscInt>(matrix.rows.starts[comm.rank] + row);
    ROWHALO_PETSC(MatSetValues(petsc, 1, &number, static_cast<PetscInt>(columns.size()),
                               columns.data(), values.data(), INSERT_VALUES));
    if (row % 65536 == 0) progress.tick();
  }
  LibraryCall call(progress);
  ROWHALO_PETSC(MatAssemblyBegin(petsc, MAT_FINAL_ASSEMBLY));
  ROWHALO_PETSC(MatAssemblyEnd(petsc, MAT_FINAL_ASSEMBLY));
  return petsc;
}

}  // namespace

PetscResult petsc_product(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                          const std::vector<double>& x, const BatchOptions& options,
                          Progress& progress, const Watchdog& watchdog) {
  PetscResult result;
  result.unusable = reason_against(comm, matrix);
  if (!result.unusable.empty()) return result;

  PetscSession session(comm);
  Mat petsc = make_matrix(comm, matrix, precision, progress);
  // Two vectors of equal content in turn, as in our own products.
  Vec petsc_x[2] = {}, petsc_y = nullptr;
  ROWHALO_PETSC(MatCreateVecs(petsc, &petsc_x[0], &petsc_y));
  PetscScalar* entries = nullptr;
  ROWHALO_PETSC(VecGetArray(petsc_x[0], &entries));
  std::copy(x.begin(), x.end(), entries);
  ROWHALO_PETSC(VecRestoreArray(petsc_x[0], &entries));
  ROWHALO_PETSC(VecDuplicate(petsc_x[0], &petsc_x[1]));
  ROWHALO_PETSC(VecCopy(petsc_x[0], petsc_x[1]));

  ProductSequence sequence(
      [&](std::int64_t k) { ROWHALO_PETSC(MatMult(petsc, petsc_x[k % 2], petsc_y)); });
  DeviceClock clock;
  const BatchTimes times = measure_batches({comm, clock, progress, watchdog}, options, sequence);
  result.seconds = times.median();

  const PetscScalar* products = nullptr;
  ROWHALO_PETSC(VecGetArrayRead(petsc_y, &products));
  result.product.assign(products, products + matrix.owned_rows);
  ROWHALO_PETSC(VecRestoreArrayRead(petsc_y, &products));
  for (Vec& vector : petsc_x) ROWHALO_PETSC(VecDestroy(&vector));
  ROWHALO_PETSC(VecDestroy(&petsc_y));
  ROWHALO_PETSC(MatDestroy(&petsc));
  session.close();
  return result;
}

std::string petsc_version() {
  return fmt::format("{}.{}.{}", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
}

}  // namespace rowhalo

#else

namespace rowhalo {

PetscResult petsc_product(const Comm&, const LocalMatrix&, Precision, const std::vector<double>&,
                          const BatchOptions&, Progress&, const Watchdog&) {
  PetscResult result;
  result.unusable = "this rowhalo was built without PETSc";
  return result;
}

std::string petsc_version() {
  return {};
}

}  // namespace rowhalo

#endif

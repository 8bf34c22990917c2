// SPDX-License-Identifier: BSD-3-Clause
#ifdef ROWHALO_HAVE_PETSC

#include "miniapp/bench/petsc/session.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <vector>

#include "io/host_memory.hpp"
#include "partition/base/checked_cast.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

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

}  // namespace

void check_petsc(PetscErrorCode code, const char* call, const char* file, int line) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw std::runtime_error(
      fmt::format("{}:{}: {} failed: {}", file, line, call, text ? text : "unknown error"));
}

PetscSession::PetscSession(const Comm& comm) {
  unsetenv("PETSC_OPTIONS");
  PETSC_COMM_WORLD = comm.handle;
  ROWHALO_PETSC(PetscOptionsSetValue(nullptr, "-skip_petscrc", "true"));
  ROWHALO_PETSC(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
  ROWHALO_PETSC(PetscInitializeNoArguments());
  ROWHALO_PETSC(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
}

void PetscSession::close() {
  // Newer versions would name on stdout those that they had no use for.
  ROWHALO_PETSC(PetscOptionsClear(nullptr));
  ROWHALO_PETSC(PetscFinalize());
}

std::string petsc_refusal(const Comm& comm, const LocalMatrix& matrix) {
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

Mat petsc_matrix(const Comm& comm, const LocalMatrix& matrix, Precision precision,
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

}  // namespace rowhalo

#endif

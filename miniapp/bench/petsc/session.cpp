// SPDX-License-Identifier: BSD-3-Clause
//
// Start and end of PETSc, and our matrix as its own (session.hpp).
#include "miniapp/bench/petsc/session.hpp"

#include <fmt/format.h>
#include <petscksp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <vector>

#include "io/host_memory.hpp"
#include "miniapp/halo/transports.hpp"
#include "partition/base/checked_cast.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

void check_petsc(PetscErrorCode code, const char* call, const char* file, int line) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw std::runtime_error(fmt::format("{}:{}: {} failed: {}", file, line, call,
                                       text ? text : fmt::format("error {}", int(code))));
}

void together_with_petsc(const Comm& comm, const std::function<void()>& calls) {
  take_resources(comm, "PETSc", calls);
}

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

namespace {

/// Entries per row, of columns that this rank owns and of others.
using EntriesPerRow = std::array<std::vector<PetscInt>, 2>;

EntriesPerRow row_lengths(const LocalMatrix& matrix) {
  EntriesPerRow lengths;
  for (std::vector<PetscInt>& part : lengths) part.resize(matrix.owned_rows);
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      ++lengths[matrix.indices[k] < matrix.owned_columns ? 0 : 1][row];
    }
  }
  return lengths;
}

/// Local. Our rows into `petsc`, whose memory is there.
void set_rows(const Comm& comm, const LocalMatrix& matrix, Precision precision, Progress& progress,
              Mat petsc) {
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
    if (row % 65536 != 0) continue;
    progress.tick();
    if (progress.stop_requested()) throw std::runtime_error("interrupted by a signal");
  }
}

/// What this rank's part of the matrix takes in PETSc in so many copies, `vectors` with it, and the
/// arrays of ours while it is made: values and columns once; per row its lengths, offsets and
/// places.
std::int64_t bytes_in_petsc(const LocalMatrix& matrix, int copies, int vectors) {
  constexpr std::int64_t session = std::int64_t{8} << 20;  // and messages
  constexpr std::int64_t entry = sizeof(PetscScalar) + sizeof(PetscInt);
  constexpr std::int64_t row = 12 * sizeof(PetscInt), ghost = 64;
  return session + copies * matrix.offsets.back() * entry +
         matrix.owned_rows * (row + vectors * std::int64_t{sizeof(PetscScalar)}) +
         std::int64_t{matrix.local_columns()} * std::int64_t{sizeof(PetscInt)} +
         (matrix.local_columns() - matrix.owned_columns) * ghost;
}

void start_petsc(const Comm& comm) {
  unsetenv("PETSC_OPTIONS");
  PETSC_COMM_WORLD = comm.handle;
  together_with_petsc(comm, [] {
    // A call that fails says so by its code, and nothing else.
    ROWHALO_PETSC(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
    ROWHALO_PETSC(PetscOptionsSetValue(nullptr, "-skip_petscrc", "true"));
    ROWHALO_PETSC(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
    ROWHALO_PETSC(PetscInitializeNoArguments());
    ROWHALO_PETSC(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  });
}

std::string petsc_refusal(const Comm& comm, const LocalMatrix& matrix, int copies, int vectors) {
  constexpr std::int64_t limit = std::numeric_limits<PetscInt>::max();
  if (matrix.info.rows > limit || matrix.info.columns > limit ||
      max_over_ranks(comm, matrix.offsets.back()) > limit) {
    return fmt::format("this PETSc has {}-bit indices, too few for this matrix",
                       8 * sizeof(PetscInt));
  }
  return lacking_memory(comm, bytes_in_petsc(matrix, copies, vectors), "its copy of the matrix");
}

}  // namespace

std::string in_petsc_session(const Comm& comm, const LocalMatrix& matrix, int copies, int vectors,
                             const std::function<void()>& work) {
  std::string unusable = petsc_refusal(comm, matrix, copies, vectors);
  if (!unusable.empty()) return unusable;
  bool started = false;
  try {
    start_petsc(comm);
    started = true;
    work();
  } catch (const AgreedError& lack) {
    unusable = lack.what();
  }
  if (!started) return unusable;
  // Newer versions would name on stdout those that they had no use for.
  (void)PetscOptionsClear(nullptr);
  (void)PetscFinalize();
  return unusable;
}

void set_entries(Vec vector, std::span<const double> entries) {
  PetscScalar* values = nullptr;
  ROWHALO_PETSC(VecGetArray(vector, &values));
  std::ranges::copy(entries, values);
  ROWHALO_PETSC(VecRestoreArray(vector, &values));
}

void make_petsc_matrix(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                       Progress& progress, PetscMatrix& petsc) {
  EntriesPerRow lengths;
  agree(comm, [&] { lengths = row_lengths(matrix); });
  together_with_petsc(comm, [&] {
    ROWHALO_PETSC(MatCreate(comm.handle, petsc.out()));
    ROWHALO_PETSC(MatSetSizes(petsc, matrix.owned_rows, matrix.owned_columns, matrix.info.rows,
                              matrix.info.columns));
    ROWHALO_PETSC(MatSetType(petsc, MATAIJ));
    ROWHALO_PETSC(MatSeqAIJSetPreallocation(petsc, 0, lengths[0].data()));
    ROWHALO_PETSC(MatMPIAIJSetPreallocation(petsc, 0, lengths[0].data(), 0, lengths[1].data()));
  });
  together_with_petsc(comm, [&] { set_rows(comm, matrix, precision, progress, petsc); });
  const LibraryCall call(progress);
  together_with_petsc(comm, [&] {
    ROWHALO_PETSC(MatAssemblyBegin(petsc, MAT_FINAL_ASSEMBLY));
    ROWHALO_PETSC(MatAssemblyEnd(petsc, MAT_FINAL_ASSEMBLY));
  });
}

}  // namespace rowhalo

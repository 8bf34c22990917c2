// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc itself reads what we write (MatLoad, VecLoad), and we read what it writes (MatView,
// VecView): the same entries, bit by bit.
#include <petscmat.h>

#include <algorithm>

#include "io/petsc/reader.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "tests/io/battery.hpp"

using namespace rowhalo;

namespace {

/// PETSc for the time of a test; its options file and environment are not read.
class Petsc {
 public:
  Petsc() {
    unsetenv("PETSC_OPTIONS");
    PetscInitializeNoArguments();
    PetscPopSignalHandler();
  }
  ~Petsc() { PetscFinalize(); }
  Petsc(const Petsc&) = delete;
  Petsc& operator=(const Petsc&) = delete;
};

PetscViewer open_viewer(const std::string& path, PetscFileMode mode) {
  PetscViewer viewer = nullptr;
  PetscViewerBinaryOpen(PETSC_COMM_WORLD, path.c_str(), mode, &viewer);
  return viewer;
}

Mat load(const std::string& path) {
  PetscViewer viewer = open_viewer(path, FILE_MODE_READ);
  Mat matrix = nullptr;
  MatCreate(PETSC_COMM_WORLD, &matrix);
  MatSetType(matrix, MATAIJ);
  MatLoad(matrix, viewer);
  PetscViewerDestroy(&viewer);
  return matrix;
}

void save(Mat matrix, const std::string& path) {
  PetscViewer viewer = open_viewer(path, FILE_MODE_WRITE);
  MatView(matrix, viewer);
  PetscViewerDestroy(&viewer);
}

/// Collective. All entries of PETSc's matrix in order, on every rank.
std::vector<ExactEntry> entries_of(Mat matrix) {
  PetscInt first = 0, last = 0;
  MatGetOwnershipRange(matrix, &first, &last);
  DistributedCsr own;
  own.first_row = first;
  for (PetscInt row = first; row < last; ++row) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar* values = nullptr;
    MatGetRow(matrix, row, &count, &columns, &values);
    own.columns.insert(own.columns.end(), columns, columns + count);
    own.values.insert(own.values.end(), values, values + count);
    own.offsets.push_back(static_cast<Offset>(own.columns.size()));
    MatRestoreRow(matrix, row, &count, &columns, &values);
  }
  return gathered(own);
}

}  // namespace

TEST_CASE("PETSc reads our matrices, and we read PETSc's", "[petsc_exchange]") {
  const Petsc petsc;
  const SharedDirectory directory;
  Progress progress;
  std::vector<DistributedCsr> matrices = file_battery();
  for (const char* source : {"stencil27:7", "elasticity:4", "rmat:scale=7,edges=5"}) {
    matrices.push_back(load_matrix(source, 0, world(), progress));
  }
  for (const DistributedCsr& matrix : matrices) {
    const std::string ours = directory.path("ours.petsc"), theirs = directory.path("theirs.petsc");
    save_matrix(ours, matrix, world(), progress);
    Mat loaded = load(ours);
    PetscInt rows = 0, columns = 0, block = 0;
    MatGetSize(loaded, &rows, &columns);
    MatGetBlockSize(loaded, &block);
    REQUIRE_ALL_RANKS(rows == matrix.info.rows && columns == matrix.info.columns);
    REQUIRE_ALL_RANKS(block == matrix.info.block);
    REQUIRE_ALL_RANKS(entries_of(loaded) == gathered(matrix));

    save(loaded, theirs);
    MatDestroy(&loaded);
    const DistributedCsr back = load_matrix(theirs, 0, world(), progress);
    REQUIRE_ALL_RANKS(back.info.block == matrix.info.block && same_matrix(matrix, back));
    REQUIRE_ALL_RANKS(contents(ours) == contents(theirs));
  }
}

TEST_CASE("We read PETSc's dense matrices", "[petsc_exchange]") {
  const Petsc petsc;
  const SharedDirectory directory;
  Progress progress;
  constexpr PetscInt rows = 9, columns = 5;
  Mat matrix = nullptr;
  MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, rows, columns, nullptr, &matrix);
  PetscInt first = 0, last = 0;
  MatGetOwnershipRange(matrix, &first, &last);
  for (PetscInt row = first; row < last; ++row) {
    for (PetscInt column = 0; column < columns; ++column) {
      MatSetValue(matrix, row, column, uniform_value(row, column), INSERT_VALUES);
    }
  }
  MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
  PetscViewer viewer = open_viewer(directory.path("dense.petsc"), FILE_MODE_WRITE);
  PetscViewerPushFormat(viewer, PETSC_VIEWER_NATIVE);
  MatView(matrix, viewer);
  PetscViewerDestroy(&viewer);
  MatDestroy(&matrix);

  const DistributedCsr read = load_matrix(directory.path("dense.petsc"), 0, world(), progress);
  std::vector<ExactEntry> expected;
  for (PetscInt row = 0; row < rows; ++row) {
    for (PetscInt column = 0; column < columns; ++column) {
      expected.push_back(exact(row, column, uniform_value(row, column)));
    }
  }
  REQUIRE_ALL_RANKS(gathered(read) == expected);
}

TEST_CASE("PETSc reads our vectors, and we read PETSc's", "[petsc_exchange]") {
  const Petsc petsc;
  const SharedDirectory directory;
  Progress progress;
  for (const GlobalIndex size : {1, 10, 1001}) {
    const GlobalIndex first = even_split(size, 1, world().size, world().rank);
    std::vector<double> share(even_split(size, 1, world().size, world().rank + 1) - first);
    for (std::size_t k = 0; k < share.size(); ++k) {
      share[k] = uniform_value(3, first + static_cast<GlobalIndex>(k));
    }
    const std::string ours = directory.path("ours.petsc"), theirs = directory.path("theirs.petsc");
    write_vector(ours, share, Precision::fp64, world(), progress);

    Vec vector = nullptr;
    VecCreateMPI(PETSC_COMM_WORLD, static_cast<PetscInt>(share.size()), static_cast<PetscInt>(size),
                 &vector);
    PetscViewer viewer = open_viewer(ours, FILE_MODE_READ);
    VecLoad(vector, viewer);
    PetscViewerDestroy(&viewer);
    const PetscScalar* values = nullptr;
    VecGetArrayRead(vector, &values);
    const bool same = std::equal(share.begin(), share.end(), values);
    VecRestoreArrayRead(vector, &values);
    REQUIRE_ALL_RANKS(same);

    viewer = open_viewer(theirs, FILE_MODE_WRITE);
    VecView(vector, viewer);
    PetscViewerDestroy(&viewer);
    VecDestroy(&vector);
    REQUIRE_ALL_RANKS(read_vector(theirs, size, world(), progress) == share);
    REQUIRE_ALL_RANKS(contents(ours) == contents(theirs));
  }
}

// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc's MatMult as reference and baseline (product.hpp). In librowhalo_with_petsc.so.
#include "miniapp/bench/petsc/library.hpp"

#include <algorithm>
#include <optional>

#include "miniapp/bench/petsc/session.hpp"

namespace rowhalo {

namespace {

/// What PETSc holds of one product: two vectors x of equal content in turn, as in our own products.
struct PetscProduct {
  Mat matrix = nullptr;
  Vec x[2] = {}, y = nullptr;
};

/// Collective. Throws AgreedError; `petsc` is to be destroyed either way.
void make_product(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                  const std::vector<double>& x, Progress& progress, PetscProduct& petsc) {
  make_petsc_matrix(comm, matrix, precision, progress, petsc.matrix);
  together_with_petsc(comm, [&] {
    ROWHALO_PETSC(MatCreateVecs(petsc.matrix, &petsc.x[0], &petsc.y));
    PetscScalar* entries = nullptr;
    ROWHALO_PETSC(VecGetArray(petsc.x[0], &entries));
    std::copy(x.begin(), x.begin() + matrix.owned_columns, entries);
    ROWHALO_PETSC(VecRestoreArray(petsc.x[0], &entries));
    ROWHALO_PETSC(VecDuplicate(petsc.x[0], &petsc.x[1]));
    ROWHALO_PETSC(VecCopy(petsc.x[0], petsc.x[1]));
    ROWHALO_PETSC(MatMult(petsc.matrix, petsc.x[0], petsc.y));  // takes its buffers at first use
  });
}

void destroy(PetscProduct& petsc) {
  for (Vec& vector : petsc.x) (void)VecDestroy(&vector);
  (void)VecDestroy(&petsc.y);
  (void)MatDestroy(&petsc.matrix);
}

}  // namespace

PetscResult with_petsc::product(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                                const std::vector<double>& x, const BatchOptions& options,
                                Progress& progress) {
  constexpr int vectors = 4;  // x twice, y, and the product that is returned
  PetscResult result;
  progress.phase("validate with PETSc: matrix");
  result.unusable = petsc_refusal(comm, matrix, vectors);
  if (!result.unusable.empty()) return result;
  progress.phase("validate with PETSc: product");
  PetscProduct petsc;
  std::optional<PetscSession> session;
  try {
    session.emplace(comm);
    make_product(comm, matrix, precision, x, progress, petsc);
    agree(comm, [&] { result.product.resize(matrix.owned_rows); });
    ProductSequence sequence(
        [&](std::int64_t k) { ROWHALO_PETSC(MatMult(petsc.matrix, petsc.x[k % 2], petsc.y)); });
    DeviceClock clock;
    result.seconds = measure_batches({comm, clock, progress}, options, sequence).median();
    const PetscScalar* products = nullptr;
    ROWHALO_PETSC(VecGetArrayRead(petsc.y, &products));
    std::copy_n(products, matrix.owned_rows, result.product.begin());
    ROWHALO_PETSC(VecRestoreArrayRead(petsc.y, &products));
  } catch (const AgreedError& lack) {
    result.unusable = lack.what();
  }
  if (session) {
    destroy(petsc);
    session->close();
  }
  return result;
}

}  // namespace rowhalo

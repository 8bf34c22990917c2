// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc's MatMult as reference and baseline (library.hpp). In librowhalo_with_petsc.so.
#include "miniapp/bench/petsc/library.hpp"

#include <algorithm>

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
    set_entries(petsc.x[0], std::span(x).first(matrix.owned_columns));
    ROWHALO_PETSC(VecDuplicate(petsc.x[0], &petsc.x[1]));
    ROWHALO_PETSC(VecCopy(petsc.x[0], petsc.x[1]));
    ROWHALO_PETSC(MatMult(petsc.matrix, petsc.x[0], petsc.y));  // takes its buffers at first use
  });
}

}  // namespace

PetscResult with_petsc::product(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                                const std::vector<double>& x, const BatchOptions& options,
                                Progress& progress) {
  constexpr int vectors = 4;  // x twice, y, and the product that is returned
  PetscResult result;
  PetscProduct petsc;
  progress.phase("validate with PETSc: matrix");
  const auto multiply = [&] {
    progress.phase("validate with PETSc: product");
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
  };
  result.unusable = in_petsc_session(comm, matrix, vectors, multiply, [&] {
    for (Vec& vector : petsc.x) (void)VecDestroy(&vector);
    (void)VecDestroy(&petsc.y);
    (void)MatDestroy(&petsc.matrix);
  });
  return result;
}

}  // namespace rowhalo

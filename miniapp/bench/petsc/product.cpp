// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc's MatMult as reference and baseline (library.hpp). In librowhalo_with_petsc.so.
#include "miniapp/bench/petsc/library.hpp"

#include <algorithm>

#include "miniapp/bench/petsc/session.hpp"

namespace rowhalo {

PetscResult with_petsc::product(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                                const std::vector<double>& x, const BatchOptions& options,
                                Progress& progress) {
  constexpr int vectors = 4;  // x twice, y, and the product that is returned
  PetscResult result;
  progress.phase("validate with PETSc: matrix");
  result.unusable = in_petsc_session(comm, matrix, vectors, [&] {
    progress.phase("validate with PETSc: product");
    PetscMatrix a;
    PetscVector in[2], y;  // two vectors of equal content in turn, as in our own products
    make_petsc_matrix(comm, matrix, precision, progress, a);
    together_with_petsc(comm, [&] {
      ROWHALO_PETSC(MatCreateVecs(a, in[0].out(), y.out()));
      set_entries(in[0], std::span(x).first(matrix.owned_columns));
      ROWHALO_PETSC(VecDuplicate(in[0], in[1].out()));
      ROWHALO_PETSC(VecCopy(in[0], in[1]));
      ROWHALO_PETSC(MatMult(a, in[0], y));  // takes its buffers at first use
    });
    agree(comm, [&] { result.product.resize(matrix.owned_rows); });
    ProductSequence sequence([&](std::int64_t k) { ROWHALO_PETSC(MatMult(a, in[k % 2], y)); });
    DeviceClock clock;
    result.seconds = measure_batches({comm, clock, progress}, options, sequence).median();
    const PetscScalar* products = nullptr;
    ROWHALO_PETSC(VecGetArrayRead(y, &products));
    std::copy_n(products, matrix.owned_rows, result.product.begin());
    ROWHALO_PETSC(VecRestoreArrayRead(y, &products));
  });
  return result;
}

}  // namespace rowhalo

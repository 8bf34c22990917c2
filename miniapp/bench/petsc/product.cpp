// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc's MatMult as reference and baseline (product.hpp).
#include "miniapp/bench/petsc/product.hpp"

#ifdef ROWHALO_HAVE_PETSC

#include <fmt/format.h>

#include <algorithm>

#include "miniapp/bench/petsc/session.hpp"

namespace rowhalo {

PetscResult petsc_product(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                          const std::vector<double>& x, const BatchOptions& options,
                          Progress& progress, const Watchdog& watchdog) {
  PetscResult result;
  result.unusable = petsc_refusal(comm, matrix);
  if (!result.unusable.empty()) return result;

  PetscSession session(comm);
  Mat petsc = petsc_matrix(comm, matrix, precision, progress);
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

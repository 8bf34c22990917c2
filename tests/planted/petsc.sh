# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in PETSc's Mat type

type=miniapp/bindings/petsc/petsc_type.cpp
multiplier=miniapp/bindings/petsc/multiplier.cpp
rows=miniapp/bindings/petsc/rows.cpp

fault "changed values of PETSc's matrix are not seen" $multiplier \
  'if (same && its.values == values) PetscFunctionReturn(petsc_success);' \
  'if (same) PetscFunctionReturn(petsc_success);' \
  test_petsc_type_n1
fault "MatMultAdd forgets what it adds" $multiplier \
  'if (add != nullptr && add != y) PetscCall(VecCopy(add, y));' \
  '' \
  test_petsc_type_n1
fault "the operator of the transpose is that of the matrix" $multiplier \
  'if (side == Side::transposed) PetscCall(MatTranspose(matrix, MAT_INITIAL_MATRIX, &source));' \
  'if (side == Side::transposed) PetscCall(MatDuplicate(matrix, MAT_COPY_VALUES, &source));' \
  test_petsc_type_n1
fault "a symmetric matrix of PETSc gets a second operator" $multiplier \
  'own = std::equal(rows, rows + ranks + 1, columns);' \
  'own = rows == columns;' \
  test_petsc_type_n1
fault "ghost columns of PETSc keep their compressed numbers" $rows \
  'if (column >= rows.first_column) put(column, other.values[k]);' \
  'if (column >= rows.first_column) put(other.columns[k], other.values[k]);' \
  test_petsc_type_n2
fault "ranks without columns of PETSc's matrix lose a ghost" $rows \
  'if (column >= rows.first_column) put(column, other.values[k]);' \
  'if (column > rows.first_column) put(column, other.values[k]);' \
  test_petsc_type_n2
fault "an operator of PETSc's matrix before it pays" $multiplier \
  'due = its.waiting >= settings.after;' \
  'due = its.waiting + 1 >= settings.after;' \
  test_petsc_type_n1
fault "small matrices of PETSc get operators, too" $multiplier \
  'due = due && its.nonzeros >= static_cast<PetscLogDouble>(settings.least_nonzeros);' \
  '' \
  test_petsc_type_n1
fault "products of Mat type rowhalo with dense ones column by column" $type \
  'if (set != nullptr) PetscCall(set(product));' \
  '' \
  test_petsc_type_n1
fault "a misspelt option -mat_rowhalo_ is taken for one" miniapp/bindings/petsc/settings.cpp \
  'if (!known) unknown = name;' \
  '' \
  cli_petsc_type
fault "an operator of PETSc's matrix keeps its old values" $multiplier \
  'its.spmv->refill(rows.values.data());' \
  '' \
  test_petsc_type_n1

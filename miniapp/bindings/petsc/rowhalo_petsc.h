/* SPDX-License-Identifier: BSD-3-Clause */
/* librowhalo_petsc.so for programs that are linked with it, in C, C++ or, by ISO_C_BINDING,
 * Fortran:
 *
 *   PetscInitialize(&argc, &argv, NULL, NULL);
 *   PetscDLLibraryRegister_rowhalo_petsc();
 *   ... MatSetType(A, MATROWHALO), or -mat_type rowhalo ...
 *
 * Other programs need no new compilation: -dll_append PREFIX/lib/librowhalo_petsc.so. */
#ifndef ROWHALO_PETSC_H
#define ROWHALO_PETSC_H

#include <petscmat.h>

/* The types of a matrix: AIJ in all, but products by Rowhalo's operator. */
#define MATROWHALO "rowhalo"
/* The same for DMs, which make interpolations of their matrices' type if its name begins with aij.
 */
#define MATAIJROWHALO "aijrowhalo"
#define MATSEQAIJROWHALO "seqaijrowhalo"
#define MATMPIAIJROWHALO "mpiaijrowhalo"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the types known; once between PetscInitialize and PetscFinalize. Returns 0 or an error of
   PETSc's. PETSc calls it itself where the library came by -dll_append. */
__attribute__((visibility("default"))) PetscErrorCode PetscDLLibraryRegister_rowhalo_petsc(void);

#ifdef __cplusplus
}
#endif
#endif

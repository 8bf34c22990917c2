// SPDX-License-Identifier: BSD-3-Clause
//
// Rowhalo from C (C99): y = alpha A x + beta y of a sparse matrix whose rows are distributed over
// MPI ranks, on CPUs or GPUs, and solvers of A x = b. Link with -lrowhalo and MPI. Fortran
// (rowhalo.f90) and Python (package rowhalo) call these functions.
//
//   rowhalo_csr rows = {.rows = n, .owned_columns = n, .offsets = offsets, .offset_bytes = 4,
//                       .columns = columns, .column_bytes = 4, .values = values, .value_bytes = 8};
//   rowhalo_operator* a = NULL;
//   if (rowhalo_create(MPI_COMM_WORLD, &rows, NULL, &a)) puts(rowhalo_error());
//   rowhalo_apply(a, 1.0, x, 0.0, y, NULL);
//   rowhalo_destroy(&a);
//
// Errors: each function returns ROWHALO_SUCCESS (0) or another code; rowhalo_error() is the text.
// "Collective" functions are called by all ranks of the communicator, in the same order. If one
// rank fails there, all ranks return the same code and text. Exceptions are marked "not agreed".
// Nothing prints, ends the program or takes a signal.
// Threads: one thread at a time uses an operator and its solvers. It is the one that calls MPI
// unless MPI has MPI_THREAD_MULTIPLE. On CPUs OMP_NUM_THREADS threads multiply.
// Memory: the caller's arrays are read during rowhalo_create() only. x and y stay the caller's.
// GPUs: x, y and b of an operator on a GPU are device addresses of the GPU that was current (by
// cudaSetDevice) at rowhalo_create(), which has to be current in all calls. A stream is a
// cudaStream_t; NULL is the default stream. On CPUs streams are ignored.
#ifndef ROWHALO_H
#define ROWHALO_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What functions return.
enum {
  ROWHALO_SUCCESS = 0,
  ROWHALO_FAILED = 1,     // at run time: MPI, CUDA, or memory during communication
  ROWHALO_BAD_INPUT = 2,  // an argument, an option or the matrix; the text says which
  ROWHALO_NO_MEMORY = 3   // of the host or the GPU
};

// Rows of the matrix on this rank, in compressed sparse row (CSR) format. The rows of rank r follow
// those of rank r - 1; so do the entries of x that ranks own. Row i has the entries
// [offsets[i], offsets[i + 1]). Columns are those of the whole matrix, counted from 0, in any order
// within a row; entries of one place are added up. Each array may lie in host or device memory.
// Arrays of 64-bit integers and doubles in host memory are used where they are; others are copied
// for the time of rowhalo_create() (rowhalo_operator_info.converted_bytes).
typedef struct rowhalo_csr {
  int64_t rows;           // of this rank; may be 0
  int64_t owned_columns;  // entries of x that this rank owns; of a square matrix mostly `rows`
  const void* offsets;    // rows + 1 integers, ascending from 0
  const void* columns;    // offsets[rows] integers
  const void* values;     // offsets[rows] floats or doubles
  int offset_bytes;       // of an integer: 4 or 8
  int column_bytes;       // 4 or 8
  int value_bytes;        // 4: float, 8: double
} rowhalo_csr;

typedef struct rowhalo_operator rowhalo_operator;
typedef struct rowhalo_solver rowhalo_solver;

typedef struct rowhalo_operator_info {
  int64_t rows, columns;    // of the whole matrix, transposed where that was asked for
  int64_t owned_rows;       // entries of y on this rank
  int64_t owned_columns;    // entries of x on this rank
  int64_t copied_bytes;     // per product, read and written only because x is the caller's
  int64_t converted_bytes;  // of the caller's arrays that rowhalo_create() copied, and freed
  int on_gpu;               // 1: x and y are device addresses
  int vector_bytes;         // of an entry of x and y: 4 or 8
} rowhalo_operator_info;

typedef struct rowhalo_report {
  int64_t iterations;
  double first_norm, last_norm;  // of the residual, as the method updates it
  double seconds;                // of this solve, by the clock of the host
  const char* end;               // why it ended: "converged", ...; lives as long as the program
  int converged;                 // 1: the tolerance was reached
} rowhalo_report;

// Local. {major, minor, patch} of the library; 1.x keeps these functions and structs.
int rowhalo_version(int version[3]);

// Local. What went wrong in this thread's last call that did not return ROWHALO_SUCCESS. The text
// stays until this thread's next failure.
const char* rowhalo_error(void);

// Collective over all processes. For programs and languages without MPI calls of their own: starts
// MPI (MPI_THREAD_FUNNELED) if nobody has. *world: the Fortran handle of MPI_COMM_WORLD. *ranks:
// its size. *started: 1 if this call has started MPI; then call rowhalo_end() at the end.
int rowhalo_start(int* world, int* ranks, int* started);
// Collective over all processes. MPI_Finalize, unless that has been called.
int rowhalo_end(void);

// Collective. Makes *op from each rank's rows; it works on a duplicate of `comm`. `options` is a
// text "name=value; name=value", the same on all ranks; NULL: all defaults.
//   device           auto (default: gpu where values of some rank are in device memory) | cpu | gpu
//   format           auto (default) | one of `rowhalo list formats`, with options: sell:c=8
//   boundary_format  of rows that need entries of other ranks; default: as format
//   transport        auto (default) | one of `rowhalo list transports`
//   order            auto (default) | overlap | blocking | split
//   precision        fp64 | fp32 | mixed (matrix fp32, x and y fp64); default: that of the values
//   value_codes      on (default) | off: values in fewer bytes where they are exact
//   refillable       off (default) | on: rowhalo_refill() may be called; values are stored in full
//   transpose        off (default) | on: the operator of the transposed matrix; y then has
//                    owned_columns entries and x has `rows`
//   reproducible     off (default) | on: `auto` takes formats with identical bits for any number of
//                    ranks only
//   timeout          seconds (default 300) that a rank waits for another on GPUs and in shared
//                    memory
//   tuning           FILE of `rowhalo run --save-tuning`, instead of format, transport, order,
//                    precision and device
// `auto` runs trials, for a fraction of a second. Time and memory: conversion, and for a moment two
// copies of the rows. Device arrays are read when all work on the device is done.
int rowhalo_create(MPI_Comm comm, const rowhalo_csr* rows, const char* options,
                   rowhalo_operator** op);
// The same with the Fortran handle of the communicator (MPI_Comm_c2f, comm.py2f() of mpi4py).
int rowhalo_create_f(int comm, const rowhalo_csr* rows, const char* options, rowhalo_operator** op);

// Local.
int rowhalo_get_info(const rowhalo_operator* op, rowhalo_operator_info* info);
// Local. What was chosen, as options of rowhalo_create(): given there, it needs no trials. The text
// lives as long as the operator.
int rowhalo_tuning(const rowhalo_operator* op, const char** options);

// Collective, errors are not agreed: after one the program should end by MPI_Abort, since others
// may wait. y = alpha A x + beta y. x: owned_columns entries, y: owned_rows entries; they must not
// overlap. y is not read if beta is 0. On CPUs y is complete on return. On GPUs the work goes to
// `stream`; x may be changed and y read in its order. All calls of one operator use one stream, or
// streams that the caller orders by events. An x that is aligned to 16 bytes is read in place but
// for entries that ranks exchange (copied_bytes).
int rowhalo_apply(rowhalo_operator* op, double alpha, const double* x, double beta, double* y,
                  void* stream);
// The same of an operator whose precision is fp32.
int rowhalo_apply_float(rowhalo_operator* op, double alpha, const float* x, double beta, float* y,
                        void* stream);
// Local. Waits for `stream`. Fails if another rank did not answer within `timeout`: y is wrong
// then. On CPUs apply has waited already.
int rowhalo_check(rowhalo_operator* op, void* stream);
// Local. New values in the same places, of an operator with refillable=on: as many doubles as
// rowhalo_csr had, in their order, in host memory or, for an operator on a GPU, in device memory.
// On a GPU in the order of `stream`: values of the host may be changed on return, others in its
// order. Allocates nothing, and costs a few products. Solvers keep the preconditioner of the values
// that they were made with, new ones take those that came from the host last.
int rowhalo_refill(rowhalo_operator* op, const double* values, void* stream);

// Collective. A solver of A x = b with a square operator in fp64; it uses the operator, which has
// to live longer. `options` as in rowhalo_create():
//   method           cg (default) | bicgstab | cg-one-reduction | cg-pipelined
//   preconditioner   jacobi (default) | block-jacobi | none
//   tolerance        1e-8 (default): converged where |r| <= tolerance |b|
//   norm             unpreconditioned (default) | natural | preconditioned: of cg and its kin
//   max_iterations   10000 (default)
//   reproducible     off (default) | on: x and norms have identical bits for any number of ranks,
//                    if y of the operator's format has
// On GPUs the work goes to `stream`, or follows it.
int rowhalo_solver_create(rowhalo_operator* op, const char* options, void* stream,
                          rowhalo_solver** solver);
// Collective; errors of arguments are agreed, failures of MPI or CUDA during iterations are not.
// From x = 0. b and x: owned_rows entries, which must not overlap; b stays as it is. Waits until x
// is complete. No convergence is no error: see the report, which is the same on all ranks but for
// `seconds`; `report` may be NULL. No product of the operator may run at the same time.
int rowhalo_solve(rowhalo_solver* solver, const double* b, double* x, rowhalo_report* report);
// Local. Norms of the last solve: the first, then one per iteration. *count: how many there are;
// the first `room` of them are copied to `norms`, which may be NULL if `room` is 0.
int rowhalo_solver_norms(const rowhalo_solver* solver, double* norms, int64_t room, int64_t* count);
// Collective, before the operator is destroyed. *solver becomes NULL; a NULL is fine.
int rowhalo_solver_destroy(rowhalo_solver** solver);

// Collective, before MPI_Finalize, and after the operator's solvers are destroyed. *op becomes
// NULL; a NULL is fine. After MPI_Finalize it only frees memory.
int rowhalo_destroy(rowhalo_operator** op);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: BSD-3-Clause
//
// librowhalo_with_petsc.so: all that calls PETSc (library.hpp). MatMult and MatMatMult as reference
// and baseline; KSP beside our solvers; MatSetValuesCOO beside our refill.
#include <petscksp.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "miniapp/bench/petsc/session.hpp"
#include "miniapp/halo/transports.hpp"

namespace rowhalo {

namespace {

/// Collective. Puts the transpose in place of the matrix.
void transpose(const Comm& comm, PetscMatrix& matrix) {
  together_with_petsc(comm, [&] {
    Mat transposed = nullptr;
    ROWHALO_PETSC(MatTranspose(matrix, MAT_INITIAL_MATRIX, &transposed));
    ROWHALO_PETSC(MatDestroy(matrix.out()));
    *matrix.out() = transposed;
  });
}

/// In the order of ResidualNorm.
constexpr KSPNormType petsc_norms[] = {KSP_NORM_NATURAL, KSP_NORM_UNPRECONDITIONED,
                                       KSP_NORM_PRECONDITIONED};

const char* petsc_preconditioner(const std::string& name) {
  return name == "jacobi" ? PCJACOBI : name == "block-jacobi" ? PCPBJACOBI : PCNONE;
}

/// Stops where ours does: the same norm, tolerance and first guess.
void make_solver(const PetscSystem& system, Mat matrix, const std::string& name, KSP* made) {
  ROWHALO_PETSC(KSPCreate(system.comm.handle, made));
  const KSP solver = *made;
  ROWHALO_PETSC(KSPSetOperators(solver, matrix, matrix));
  ROWHALO_PETSC(KSPSetType(solver, name.c_str()));
  PC preconditioner = nullptr;
  ROWHALO_PETSC(KSPGetPC(solver, &preconditioner));
  ROWHALO_PETSC(PCSetType(preconditioner, petsc_preconditioner(system.options.preconditioner)));
  const bool right = name == "bcgs";  // as ours: then the norm is that of b - A x
  if (right) ROWHALO_PETSC(KSPSetPCSide(solver, PC_RIGHT));
  ROWHALO_PETSC(KSPSetNormType(solver, right ? KSP_NORM_UNPRECONDITIONED
                                             : petsc_norms[static_cast<int>(system.options.norm)]));
  const SolverOptions& options = system.options;
  const bool exact = options.iterations > 0;
  ROWHALO_PETSC(KSPSetTolerances(solver, exact ? 0 : options.tolerance, 0, 1e300,
                                 exact ? options.iterations : options.max_iterations));
  if (exact) {
    ROWHALO_PETSC(KSPSetConvergenceTest(solver, KSPConvergedSkip, nullptr, nullptr));
  }
  ROWHALO_PETSC(KSPSetUp(solver));
}

/// Throws AgreedError.
PetscSolverReport run_solver(const PetscSystem& system, const std::string& name, Mat matrix,
                             Vec b) {
  PetscSolverReport report;
  report.name = name;
  PetscOwner<KSP, KSPDestroy> solver;
  PetscVector x, rest;
  together_with_petsc(system.comm, [&] {
    make_solver(system, matrix, name, solver.out());
    ROWHALO_PETSC(VecDuplicate(b, x.out()));
    ROWHALO_PETSC(VecDuplicate(b, rest.out()));
  });
  for (int run = 0; run < 2; ++run) {
    ROWHALO_MPI(MPI_Barrier(system.comm.handle));
    double seconds = 0;
    together_with_petsc(system.comm, [&] {
      const double start = now_seconds();
      ROWHALO_PETSC(KSPSolve(solver, b, x));
      seconds = now_seconds() - start;
    });
    report.solve_seconds = max_over_ranks(system.comm, seconds);
  }
  together_with_petsc(system.comm, [&] {
    PetscInt iterations = 0;
    ROWHALO_PETSC(KSPGetIterationNumber(solver, &iterations));
    report.iterations = static_cast<int>(iterations);
    report.iteration_seconds = report.solve_seconds / std::max(1, report.iterations);
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    ROWHALO_PETSC(KSPGetConvergedReason(solver, &reason));
    report.end = KSPConvergedReasons[reason];
    PetscReal of_b = 0, of_rest = 0;
    ROWHALO_PETSC(MatMult(matrix, x, rest));
    ROWHALO_PETSC(VecAYPX(rest, -1, b));
    ROWHALO_PETSC(VecNorm(rest, NORM_2, &of_rest));
    ROWHALO_PETSC(VecNorm(b, NORM_2, &of_b));
    report.true_residual = of_b > 0 ? of_rest / of_b : of_rest;
  });
  return report;
}

/// What products of one matrix have in common.
struct PetscSession {
  const Comm& comm;
  const LocalMatrix& matrix;
  const BatchOptions& options;
  Progress& progress;
};

/// Two vectors of equal content in turn, as in our own products.
void multiply_one(const PetscSession& session, Mat a, bool transposed, const std::vector<double>& x,
                  PetscResult& result) {
  const auto multiply = transposed ? MatMultTranspose : MatMult;
  PetscVector in[2], y;
  together_with_petsc(session.comm, [&] {
    ROWHALO_PETSC(
        MatCreateVecs(a, transposed ? y.out() : in[0].out(), transposed ? in[0].out() : y.out()));
    set_entries(in[0], std::span(x).first(session.matrix.owned_columns));
    ROWHALO_PETSC(VecDuplicate(in[0], in[1].out()));
    ROWHALO_PETSC(VecCopy(in[0], in[1]));
    ROWHALO_PETSC(multiply(a, in[0], y));  // takes its buffers at first use
  });
  agree(session.comm, [&] { result.products.front().resize(session.matrix.owned_rows); });
  ProductSequence sequence([&](std::int64_t k) { ROWHALO_PETSC(multiply(a, in[k % 2], y)); });
  DeviceClock clock;
  result.seconds =
      measure_batches({session.comm, clock, session.progress}, session.options, sequence).median();
  const PetscScalar* products = nullptr;
  ROWHALO_PETSC(VecGetArrayRead(y, &products));
  std::copy_n(products, session.matrix.owned_rows, result.products.front().begin());
  ROWHALO_PETSC(VecRestoreArrayRead(y, &products));
}

/// Collective. A dense matrix with the owned entries of x.
void make_dense(const PetscSession& session, std::span<const std::vector<double>> x,
                PetscMatrix& dense) {
  const LocalMatrix& matrix = session.matrix;
  const auto vectors = static_cast<PetscInt>(x.size());
  ROWHALO_PETSC(MatCreateDense(session.comm.handle, matrix.owned_columns, PETSC_DECIDE,
                               matrix.info.columns, vectors, nullptr, dense.out()));
  PetscScalar* entries = nullptr;
  PetscInt leading = 0;
  ROWHALO_PETSC(MatDenseGetLDA(dense, &leading));
  ROWHALO_PETSC(MatDenseGetArray(dense, &entries));
  for (PetscInt k = 0; k < vectors; ++k) {
    std::copy_n(x[k].begin(), matrix.owned_columns, entries + k * leading);
  }
  ROWHALO_PETSC(MatDenseRestoreArray(dense, &entries));
  ROWHALO_PETSC(MatAssemblyBegin(dense, MAT_FINAL_ASSEMBLY));
  ROWHALO_PETSC(MatAssemblyEnd(dense, MAT_FINAL_ASSEMBLY));
}

/// The same of several vectors, by MatMatMult.
void multiply_several(const PetscSession& session, Mat a, std::span<const std::vector<double>> x,
                      PetscResult& result) {
  PetscMatrix in, y;
  together_with_petsc(session.comm, [&] {
    make_dense(session, x, in);
    ROWHALO_PETSC(MatMatMult(a, in, MAT_INITIAL_MATRIX, PETSC_DEFAULT, y.out()));
  });
  agree(session.comm, [&] {
    for (std::vector<double>& product : result.products) {
      product.resize(session.matrix.owned_rows);
    }
  });
  ProductSequence sequence([&](std::int64_t) {
    ROWHALO_PETSC(MatMatMult(a, in, MAT_REUSE_MATRIX, PETSC_DEFAULT, y.out()));
  });
  DeviceClock clock;
  result.seconds =
      measure_batches({session.comm, clock, session.progress}, session.options, sequence).median();
  const PetscScalar* products = nullptr;
  PetscInt leading = 0;
  ROWHALO_PETSC(MatDenseGetLDA(y, &leading));
  ROWHALO_PETSC(MatDenseGetArrayRead(y, &products));
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::copy_n(products + static_cast<PetscInt>(k) * leading, session.matrix.owned_rows,
                result.products[k].begin());
  }
  ROWHALO_PETSC(MatDenseRestoreArrayRead(y, &products));
}

}  // namespace

PetscResult with_petsc::product(const Comm& comm, const LocalMatrix& matrix,
                                PetscOperation operation, Precision precision,
                                std::span<const std::vector<double>> x, const BatchOptions& options,
                                Progress& progress) {
  // x twice, y, and the products that are returned
  const int vectors = 4 * static_cast<int>(x.size());
  PetscResult result;
  progress.phase("validate with PETSc: matrix");
  // MatMatMult of the transpose is timed as it is held here.
  const bool transposed = operation == PetscOperation::mult_transpose && x.size() == 1;
  const PetscSession session{comm, matrix, options, progress};
  result.unusable = in_petsc_session(comm, matrix, transposed ? 2 : 1, vectors, [&] {
    progress.phase("validate with PETSc: product");
    PetscMatrix a;
    make_petsc_matrix(comm, matrix, precision, progress, a);
    if (transposed) transpose(comm, a);
    agree(comm, [&] { result.products.resize(x.size()); });
    if (x.size() == 1) {
      multiply_one(session, a, transposed, x.front(), result);
    } else {
      multiply_several(session, a, x, result);
    }
  });
  return result;
}

PetscSolvers with_petsc::solve(const PetscSystem& system, const std::vector<std::string>& names,
                               Progress& progress) {
  constexpr int vectors = 16;  // those that solvers and preconditioners work with among them
  PetscSolvers solvers;
  progress.phase("solve with PETSc: matrix");
  solvers.unusable = in_petsc_session(system.comm, system.matrix, 1, vectors, [&] {
    progress.phase("solve with PETSc: solvers");
    PetscMatrix matrix;
    PetscVector b;
    make_petsc_matrix(system.comm, system.matrix, Precision::fp64, progress, matrix);
    together_with_petsc(system.comm, [&] {
      ROWHALO_PETSC(MatCreateVecs(matrix, nullptr, b.out()));
      set_entries(b, system.b);
    });
    for (const std::string& name : names) {
      const LibraryCall call(progress);
      solvers.reports.push_back(run_solver(system, name, matrix, b));
    }
  });
  return solvers;
}

PetscRefill with_petsc::refill(const Comm& comm, const LocalMatrix& matrix, Progress& progress) {
  constexpr int copies = 3, refills = 9;  // rows and columns of the entries, and where they go
  PetscRefill result;
  result.unusable = in_petsc_session(comm, matrix, copies, 0, [&] {
    std::vector<PetscInt> rows, columns;
    agree(comm, [&] {
      const std::vector<PetscInt> numbers = global_columns(comm, matrix);
      for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
        const auto number = static_cast<PetscInt>(matrix.rows.starts[comm.rank] + row);
        rows.resize(static_cast<std::size_t>(matrix.offsets[row + 1]), number);
      }
      for (const LocalIndex index : matrix.indices) columns.push_back(numbers[index]);
    });
    PetscMatrix a;
    const LibraryCall call(progress);
    together_with_petsc(comm, [&] {
      ROWHALO_PETSC(MatCreate(comm.handle, a.out()));
      ROWHALO_PETSC(MatSetSizes(a, matrix.owned_rows, matrix.owned_columns, matrix.info.rows,
                                matrix.info.columns));
      ROWHALO_PETSC(MatSetType(a, MATAIJ));
      ROWHALO_PETSC(MatSetPreallocationCOO(a, std::ssize(rows), rows.data(), columns.data()));
    });
    std::vector<double> seconds;
    for (int k = 0; k < refills; ++k) {
      ROWHALO_MPI(MPI_Barrier(comm.handle));
      double own = 0;
      together_with_petsc(comm, [&] {
        const double start = now_seconds();
        ROWHALO_PETSC(MatSetValuesCOO(a, matrix.values.data(), INSERT_VALUES));
        own = now_seconds() - start;
      });
      seconds.push_back(max_over_ranks(comm, own));
    }
    result.seconds = median(std::move(seconds));
  });
  return result;
}

}  // namespace rowhalo

/// Where librowhalo_with_petsc.so is entered.
extern "C" const rowhalo::PetscCalls rowhalo_with_petsc_calls{
    &rowhalo::with_petsc::product, &rowhalo::with_petsc::solve, &rowhalo::with_petsc::refill};

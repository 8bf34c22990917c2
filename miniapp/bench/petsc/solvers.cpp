// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc's KSP beside our solvers (library.hpp). In librowhalo_with_petsc.so.
#include "miniapp/bench/petsc/library.hpp"

#include <algorithm>

#include "miniapp/bench/petsc/session.hpp"

namespace rowhalo {

namespace {

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

}  // namespace

PetscSolvers with_petsc::solve(const PetscSystem& system, const std::vector<std::string>& names,
                               Progress& progress) {
  constexpr int vectors = 16;  // those that solvers and preconditioners work with among them
  PetscSolvers solvers;
  progress.phase("solve with PETSc: matrix");
  solvers.unusable = in_petsc_session(system.comm, system.matrix, vectors, [&] {
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

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/bench/petsc/solvers.hpp"

#ifdef ROWHALO_HAVE_PETSC

#include <algorithm>
#include <chrono>

#include "miniapp/bench/petsc/session.hpp"

namespace rowhalo {

namespace {

KSPNormType petsc_norm(ResidualNorm norm) {
  switch (norm) {
    case ResidualNorm::natural:
      return KSP_NORM_NATURAL;
    case ResidualNorm::preconditioned:
      return KSP_NORM_PRECONDITIONED;
    case ResidualNorm::unpreconditioned:
      break;
  }
  return KSP_NORM_UNPRECONDITIONED;
}

const char* petsc_preconditioner(const std::string& name) {
  return name == "jacobi" ? PCJACOBI : name == "block-jacobi" ? PCPBJACOBI : PCNONE;
}

Vec vector_of(Mat matrix, const std::vector<double>& entries) {
  Vec vector = nullptr;
  ROWHALO_PETSC(MatCreateVecs(matrix, nullptr, &vector));
  PetscScalar* values = nullptr;
  ROWHALO_PETSC(VecGetArray(vector, &values));
  std::copy(entries.begin(), entries.end(), values);
  ROWHALO_PETSC(VecRestoreArray(vector, &values));
  return vector;
}

/// Stops where ours does: the same norm, tolerance and first guess.
KSP make_solver(const PetscSystem& system, Mat matrix, const std::string& name) {
  KSP solver = nullptr;
  ROWHALO_PETSC(KSPCreate(system.comm.handle, &solver));
  ROWHALO_PETSC(KSPSetOperators(solver, matrix, matrix));
  ROWHALO_PETSC(KSPSetType(solver, name.c_str()));
  PC preconditioner = nullptr;
  ROWHALO_PETSC(KSPGetPC(solver, &preconditioner));
  ROWHALO_PETSC(PCSetType(preconditioner, petsc_preconditioner(system.preconditioner)));
  const bool right = name == "bcgs";  // as ours: then the norm is that of b - A x
  if (right) ROWHALO_PETSC(KSPSetPCSide(solver, PC_RIGHT));
  ROWHALO_PETSC(
      KSPSetNormType(solver, right ? KSP_NORM_UNPRECONDITIONED : petsc_norm(system.norm)));
  const bool exact = system.stop.iterations > 0;
  ROWHALO_PETSC(KSPSetTolerances(solver, exact ? 0 : system.stop.tolerance, 0, 1e300,
                                 exact ? system.stop.iterations : system.stop.max_iterations));
  if (exact) {
    ROWHALO_PETSC(KSPSetConvergenceTest(solver, KSPConvergedSkip, nullptr, nullptr));
  }
  ROWHALO_PETSC(KSPSetUp(solver));
  return solver;
}

PetscSolverReport run_solver(const PetscSystem& system, Mat matrix, Vec b,
                             const std::string& name) {
  PetscSolverReport report;
  report.name = name;
  KSP solver = make_solver(system, matrix, name);
  Vec x = nullptr, rest = nullptr;
  ROWHALO_PETSC(VecDuplicate(b, &x));
  ROWHALO_PETSC(VecDuplicate(b, &rest));
  using clock = std::chrono::steady_clock;
  for (int run = 0; run < 2; ++run) {
    ROWHALO_MPI(MPI_Barrier(system.comm.handle));
    const clock::time_point start = clock::now();
    ROWHALO_PETSC(KSPSolve(solver, b, x));
    const std::chrono::duration<double> seconds = clock::now() - start;
    report.solve_seconds = max_over_ranks(system.comm, seconds.count());
  }
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
  ROWHALO_PETSC(VecDestroy(&rest));
  ROWHALO_PETSC(VecDestroy(&x));
  ROWHALO_PETSC(KSPDestroy(&solver));
  return report;
}

}  // namespace

PetscSolvers petsc_solve(const PetscSystem& system, const std::vector<std::string>& names,
                         Progress& progress) {
  PetscSolvers solvers;
  solvers.unusable = petsc_refusal(system.comm, system.matrix);
  if (!solvers.unusable.empty()) return solvers;
  PetscSession session(system.comm);
  Mat matrix = petsc_matrix(system.comm, system.matrix, Precision::fp64, progress);
  Vec b = vector_of(matrix, system.b);
  for (const std::string& name : names) {
    const LibraryCall call(progress);
    solvers.reports.push_back(run_solver(system, matrix, b, name));
  }
  ROWHALO_PETSC(VecDestroy(&b));
  ROWHALO_PETSC(MatDestroy(&matrix));
  session.close();
  return solvers;
}

}  // namespace rowhalo

#else

namespace rowhalo {

PetscSolvers petsc_solve(const PetscSystem&, const std::vector<std::string>&, Progress&) {
  PetscSolvers solvers;
  solvers.unusable = "this rowhalo was built without PETSc";
  return solvers;
}

}  // namespace rowhalo

#endif

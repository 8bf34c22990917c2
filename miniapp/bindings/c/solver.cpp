// SPDX-License-Identifier: BSD-3-Clause
//
// Solvers of the C interface, and start and end of MPI (rowhalo.h).
#include <algorithm>
#include <memory>
#include <utility>

#include "miniapp/bindings/c/guard.hpp"
#include "miniapp/bindings/c/handles.hpp"
#include "miniapp/bindings/c/options.hpp"

using namespace rowhalo;

int rowhalo_version(int version[3]) {
  return c::guarded([&] {
    c::require_argument(version, "version");
    constexpr int ours[] = {ROWHALO_VERSION_NUMBERS};
    std::copy_n(ours, 3, version);
  });
}

int rowhalo_start(int* world, int* ranks, int* started) {
  return c::guarded([&] {
    c::require_argument(world, "world");
    c::require_argument(ranks, "ranks");
    c::require_argument(started, "started");
    int running = 0;
    MPI_Initialized(&running);
    *started = running == 0;
    if (running == 0) {
      int provided = 0;
      ROWHALO_MPI(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    }
    c::require_mpi();
    *world = static_cast<int>(MPI_Comm_c2f(MPI_COMM_WORLD));
    ROWHALO_MPI(MPI_Comm_size(MPI_COMM_WORLD, ranks));
  });
}

int rowhalo_end(void) {
  return c::guarded([] {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended == 0) ROWHALO_MPI(MPI_Finalize());
  });
}

int rowhalo_solver_create(rowhalo_operator* op, const char* options, void* stream,
                          rowhalo_solver** solver) {
  return c::guarded([&] {
    c::require_mpi();
    c::require_argument(op, "op");
    const Comm& comm = op->op.comm();
    SolverOptions wanted;
    std::unique_ptr<rowhalo_solver> made;
    c::require_same_on_all(comm, options);
    agree(comm, [&] {
      c::require_argument(solver, "solver");
      wanted = c::solver_options(options);
    });
    made = std::make_unique<rowhalo_solver>(*op, wanted, Stream{stream});
    ++op->solvers;
    *solver = made.release();
  });
}

int rowhalo_solve(rowhalo_solver* solver, const double* b, double* x, rowhalo_report* report) {
  return c::guarded([&] {
    c::require_argument(solver, "solver");
    const Operator& op = solver->of.op;
    agree(op.comm(), [&] { c::check_vectors(solver->of, b, "b", x, "x"); });
    SolverOutcome outcome = solver->solver.solve(b, x);
    solver->norms = std::move(outcome.norms);
    if (report == nullptr) return;
    const std::vector<double>& norms = solver->norms;
    *report = {.iterations = std::max<std::int64_t>(std::ssize(norms) - 1, 0),
               .first_norm = norms.empty() ? 0 : norms.front(),
               .last_norm = norms.empty() ? 0 : norms.back(),
               .seconds = outcome.solve_seconds,
               .end = name_of(outcome.end),
               .converged = outcome.end == SolverEnd::converged};
  });
}

int rowhalo_solver_norms(const rowhalo_solver* solver, double* norms, std::int64_t room,
                         std::int64_t* count) {
  return c::guarded([&] {
    c::require_argument(solver, "solver");
    c::require_argument(count, "count");
    if (room > 0) c::require_argument(norms, "norms");
    *count = std::ssize(solver->norms);
    std::copy_n(solver->norms.begin(), std::clamp<std::int64_t>(room, 0, *count), norms);
  });
}

int rowhalo_solver_destroy(rowhalo_solver** solver) {
  return c::guarded([&] {
    if (solver == nullptr || *solver == nullptr) return;
    const std::unique_ptr<rowhalo_solver> gone(std::exchange(*solver, nullptr));
    --gone->of.solvers;
    gone->solver.close();
  });
}

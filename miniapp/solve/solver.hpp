// SPDX-License-Identifier: BSD-3-Clause
//
// Solves A x = b with an operator, for programs that have one (`rowhalo solve` measures the same
// methods). A <-- B: B uses A.
//
//      Operator a          Solver, made once                     solve(b, x), again and again
//      +-------------+     +------------------------------+      +----------------------------+
//      | matrix      |     | method: an entry of solvers()|      | SolverWorkspace: vectors,  |
//      | exchange    | <-- | M^-1: inverted diagonal, or  | <--  | scalars, sums, history;    |
//      | kernels     |     | the blocks along it          |      | x = 0, then iterations     |
//      | vectors     | <-- | input: the x of products     |      | until the verdict          |
//      +-------------+     | RankSums: sums over ranks    |      +----------------------------+
//                          +------------------------------+
//
// An example: the ten nonzeros of A = tridiag(-1, 2, -1) with four rows, two on each of two ranks.
//
//      Solver cg(a, {.method = "cg", .preconditioner = "none"});
//      cg.solve(b, x)      rank 0: b = 1 0, rank 1: b = 0 1      x = 1 1 on both, A x = b
//          .norms          1.41  0.71  0       |r|, as cg updates r, at first and after each of two
//                                              iterations; SolverOptions::norm: of another norm
//          .end            SolverEnd::converged
//      cg.solve(c, x)      another right-hand side: M^-1, RankSums and the input are there already
//      cg.close(); a.close();
//
// Errors: the constructor is collective, and what fails in it on one rank every rank throws as the
// same AgreedError. In solve() ranks do not agree: one that fails throws a std::runtime_error
// alone, and others may wait; the program should then end by MPI_Abort. Why iterations ended is a
// value, SolverOutcome::end, the same on all ranks.
// Lifetimes: the operator outlives the solver. close() is collective; call it before that of the
// operator. solve() throws std::logic_error after it.
#pragma once

#include <memory>
#include <optional>

#include "miniapp/solve/methods.hpp"

namespace rowhalo {

class Solver {
 public:
  /// Collective. `op` was made from rows or a distributed matrix, not from kernels. Throws
  /// AgreedError unless it is square, in fp64, and has a vector left to give
  /// (Tuning::halo_vectors). One for foreign vectors lends its own: then no product of it runs
  /// during solve(). Throws AgreedError, too, where a name is unknown, where the method does not
  /// solve A x = b, or where a preconditioner finds a zero on the diagonal or a singular block.
  /// Without a preconditioner the diagonal does not matter. On a GPU the work goes to `stream`, or
  /// to streams beside it that wait for it and it for them.
  Solver(Operator& op, const SolverOptions& options, Stream stream = {});
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Collective. From x = 0, whatever x holds. b and x are the entries that this rank owns, in the
  /// memory of the operator's device; b is not changed. Returns when x is complete, with the norms
  /// of all iterations; SolverOutcome::x is empty. Squares of norms must be in the range of fp64;
  /// where they are not, the end is SolverEnd::overflow.
  SolverOutcome solve(const double* b, double* x);
  /// Collective. A second call does nothing.
  void close();

 private:
  void prepare();

  Operator& op_;
  SolverOptions options_;
  Stream stream_;
  Progress progress_;  ///< for the workspace; nobody shows it or asks it to stop
  const SolverEntry* entry_ = nullptr;
  Launch launch_ = Launch::one_by_one;
  std::optional<BlockJacobi> preconditioner_;
  std::unique_ptr<RankSums> rank_sums_;
  HaloVector input_;
};

}  // namespace rowhalo

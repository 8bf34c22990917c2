// SPDX-License-Identifier: BSD-3-Clause
//
// Solves A x = b with an operator, for programs that have one (`rowhalo solve` measures the same
// methods).
//
//      Operator a          Solver, made once                     solve(b, x), again and again
//      +-------------+     +------------------------------+      +----------------------------+
//      | matrix      |     | method: an entry of solvers()|      | SolverWorkspace: vectors,  |
//      | exchange    | <-- | M^-1: inverted diagonal      | <--  | scalars, sums, history;    |
//      | kernels     |     | RankSums: sums over ranks    |      | x = 0, then iterations     |
//      | vectors     | <-- | input: the vector that       |      | until the verdict          |
//      +-------------+     | products of iterations read  |      +----------------------------+
//                          +------------------------------+
//
// An example: the ten nonzeros of A = tridiag(-1, 2, -1) with four rows, two on each of two ranks.
//
//      Solver cg(a, {.method = "cg", .preconditioner = "none"});
//      cg.solve(b, x)      rank 0: b = 1 0, rank 1: b = 0 1      x = 1 1 on both, A x = b
//          .norms          1.41  0.71  0       |b - A x| at first and after each of two iterations
//          .end            SolverEnd::converged
//      cg.solve(c, x)      another right-hand side: M^-1, RankSums and the input are there already
//      cg.close(); a.close();
//
// Errors: the constructor is collective, and what fails in it on one rank every rank throws as the
// same AgreedError. In solve() a rank that fails throws a std::runtime_error alone, as in
// Operator::apply(). Why iterations ended is a value, SolverOutcome::end, the same on all ranks.
// Lifetimes: the operator outlives the solver. close() is collective; call it before the
// operator's, and nothing after it.
#pragma once

#include <memory>
#include <optional>

#include "miniapp/solve/methods.hpp"

namespace rowhalo {

class Solver {
 public:
  /// Collective. `op`: made from rows, square, in fp64, with a vector left to give
  /// (Tuning::vectors). On a GPU all work goes to `stream`. Throws AgreedError where that
  /// is not so, where a name is none, where the diagonal is zero.
  Solver(Operator& op, const SolverOptions& options, Stream stream = {});
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Collective. From x = 0. b and x are the entries that this rank owns, in the memory of the
  /// operator's device; b is kept. Returns when x is there, with the norms of all iterations
  /// (SolverOutcome::x is empty). Squares of norms must be in the range of fp64; where they are not
  /// the end is SolverEnd::overflow.
  SolverOutcome solve(const double* b, double* x);
  /// Collective.
  void close();

 private:
  void prepare();

  Operator& op_;
  SolverOptions options_;
  Stream stream_;
  Progress progress_;  ///< nobody looks
  const SolverEntry* entry_ = nullptr;
  Launch launch_ = Launch::one_by_one;
  std::optional<BlockJacobi> preconditioner_;
  std::unique_ptr<RankSums> rank_sums_;
  HaloVector input_;
};

}  // namespace rowhalo

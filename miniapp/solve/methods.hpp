// SPDX-License-Identifier: BSD-3-Clause
//
// The table of solvers. --help and messages are made from it. Adding one is a file in this folder
// and a line in methods.cpp.
#pragma once

#include <span>
#include <string_view>

#include "miniapp/solve/workspace.hpp"

namespace rowhalo {

enum class SolverKind {
  symmetric,  ///< solves A x = b, A symmetric and positive definite
  general,    ///< solves A x = b
  power,      ///< finds the largest eigenvalue in modulus
  pagerank,   ///< finds the stationary vector of a graph
};

struct SolverEntry {
  const char* name;
  const char* summary;
  SolverKind kind;
  const char* watched = nullptr;  ///< what the tolerance is for; null: a norm of the residual
  int products = 1;               ///< of one iteration
  int flops_per_row;              ///< of one iteration without the product, with jacobi
  int vector_passes;       ///< vectors that the steps of one iteration read or write, with jacobi
  int inverse_passes = 0;  ///< of them those that read the inverse of the diagonal
  int dot_passes = 0;      ///< of them those of a dot product that formats may sum along
  const char* petsc = nullptr;  ///< PETSc's KSP of the same algorithm; null: none
  /// Collective. `b`: the right-hand side (power, pagerank: the vector to begin with). `x`: zero at
  /// first, then the result. Both hold this rank's rows.
  SolverOutcome (*solve)(SolverWorkspace& work, const double* b, double* x);
};

/// Whether it is A x = b that a method solves.
inline bool solves_system(const SolverEntry& entry) {
  return entry.kind == SolverKind::symmetric || entry.kind == SolverKind::general;
}
/// The norm that a method watches, of what is a residual there.
inline ResidualNorm watched_norm(const SolverEntry& entry, const SolverOptions& options) {
  return entry.kind == SolverKind::symmetric ? options.norm : ResidualNorm::unpreconditioned;
}

std::span<const SolverEntry> solvers();
/// As `option` named it; throws InputError listing the valid names.
const SolverEntry& find_solver(std::string_view name, std::string_view option = "method");

}  // namespace rowhalo

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
  int halo_vectors;   ///< inputs of products
  int flops_per_row;  ///< of an iteration beside the product, with jacobi
  int vector_passes;  ///< reads and writes of whole vectors in an iteration beside the product
  const char* petsc;  ///< PETSc's KSP of the same algorithm; null: none
  /// Collective. `x`: the first guess (0), then the solution; `b`: the right-hand side. Both hold
  /// this rank's rows.
  SolverOutcome (*solve)(SolverWorkspace& work, const double* b, double* x);
};

std::span<const SolverEntry> solvers();
/// Throws InputError listing the valid names.
const SolverEntry& find_solver(std::string_view name);

}  // namespace rowhalo

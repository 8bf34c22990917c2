// SPDX-License-Identifier: BSD-3-Clause
//
// What the opaque handles of rowhalo.h point to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "miniapp/bindings/c/rowhalo.h"
#include "miniapp/solve/solver.hpp"

struct rowhalo_operator {
  rowhalo::Operator op;
  std::string options;  ///< that would make it again without trials
  std::int64_t converted_bytes = 0;
  int solvers = 0;  ///< that are not destroyed yet
};

struct rowhalo_solver {
  rowhalo_solver(rowhalo_operator& owner, const rowhalo::SolverOptions& options,
                 rowhalo::Stream stream)
      : of(owner), solver(owner.op, options, stream) {}

  rowhalo_operator& of;
  rowhalo::Solver solver;
  std::vector<double> norms;  ///< of the last solve
};

namespace rowhalo::c {

/// Local. Throws InputError unless `in`, of as many entries as this rank owns columns, and `out`,
/// of as many as rows, can be read and written where the operator computes.
void check_vectors(const rowhalo_operator& of, const void* in, const char* in_name, const void* out,
                   const char* out_name);

}  // namespace rowhalo::c

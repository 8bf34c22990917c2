// SPDX-License-Identifier: BSD-3-Clause
//
// When an operator multiplies instead of AIJ's own functions. An operator costs its set-up and
// memory, so a matrix that is multiplied a few times, or is small, gets none:
//
//   products with one pattern:   1 ... N             N + 1 ...
//                                AIJ's functions     trials, operator
//
// N is what the trials cost, in products by AIJ as they were timed: so at most twice the time of
// the better choice is spent (ski rental). New values: after as many products as that costs the
// operator is made for refilling, without trials, and from then on refilled. A new pattern: as at
// first. Transposed products have an operator of
// their own, unless the matrix is known to be symmetric. All ranks decide alike: products, patterns
// and values are collective in PETSc, and times are agreed on.
#pragma once

#include <petscmat.h>

#include <optional>

#include "miniapp/bindings/petsc/settings.hpp"
#include "miniapp/spmv/operator.hpp"

namespace rowhalo {

enum class Side { forward, transposed };

/// Products by AIJ whose time stands for that of the others.
constexpr PetscInt timed_products = 10;

/// What the products with a matrix, or those with its transpose, are computed by.
struct Multiplier {
  std::optional<Operator> spmv;
  std::optional<Tuning> tuning;  ///< that trials chose for the pattern
  bool stale = false;            ///< `spmv` waits for values that have changed
  bool changing = false;         ///< values have changed since the pattern did
  PetscInt waiting = 0;       ///< products by AIJ since the pattern, or values of `spmv`, changed
  double waited_seconds = 0;  ///< in these
  PetscInt due = -1;          ///< how many of them pay for trials; -1: not yet known
  /// Of the matrix that `spmv` was made of. States of PETSc's count changes of one object: together
  /// with its address they tell contents apart.
  const void* matrix = nullptr;
  PetscObjectState pattern = -1, values = -1;
  PetscLogDouble nonzeros = -1;  ///< of the whole matrix; -1: not yet counted

  PetscInt by_aij = 0, by_operator = 0, made = 0, refilled = 0;
  double seconds = 0;  ///< of making and refilling operators, trials included

  /// Whether the operator multiplies, and not AIJ.
  bool ready() const { return spmv && !stale; }
};

/// What belongs to a matrix of our types, beside what AIJ keeps.
struct Multipliers {
  Settings settings;
  Multiplier forward, transposed;

  PetscInt products() const {
    return forward.by_aij + forward.by_operator + transposed.by_aij + transposed.by_operator;
  }
};

/// Collective. Those of `matrix`, whose vectors are on `device`. They are made where there are
/// none, with the options of the matrix then: when it gets its type, since its prefix may change
/// later (block Jacobi on one rank), and after MatHeaderMerge, which takes composed objects away.
PetscErrorCode multipliers_of(Mat matrix, Device device, Multipliers** all);

/// Collective. What multiplies by `matrix` now, or by its transpose: its operator, and if there is
/// none AIJ's function. Whoever calls that adds its time to `waited_seconds`.
PetscErrorCode multiplier_for(Mat matrix, Device device, Side side, Multiplier** its);

/// Collective. y = A x, or y = A x + add where `add`, which may be y, is not null; `spmv` is A, in
/// the layouts of x and y. Logs flops.
PetscErrorCode multiply(Operator& spmv, Vec x, Vec add, Vec y);

/// Collective. Reports what -mat_rowhalo_view asks for, and closes the operators of `matrix`.
PetscErrorCode close_multipliers(Mat matrix);

/// Local. Makes the event "MatRowhaloSetUp" of -log_view known.
PetscErrorCode register_events();

}  // namespace rowhalo

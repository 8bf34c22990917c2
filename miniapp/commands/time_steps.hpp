// SPDX-License-Identifier: BSD-3-Clause
//
// Time steps (`solve --refill N`): new values for the pattern that is there, the preconditioner of
// them, the solution of the new system; the share of each, and whether memory grows.
#pragma once

#include "miniapp/commands/solving.hpp"

namespace rowhalo {

/// Collective. N steps of `entry`, which solves systems: step k has the values times a factor of
/// its own, so that its x is known from that of the first system. Every x is checked as the first
/// one was. The values are then what they were before. What PETSc takes for new values (COO), if
/// --no-petsc does not leave it out, stands beside.
TimeStepsReport measure_time_steps(const Solving& solving, const SolverEntry& entry);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The options -mat_rowhalo_... of a matrix, with the prefix of the matrix before them.
#pragma once

#include <petscmat.h>

#include <string>

#include "kernels/formats.hpp"

namespace rowhalo {

struct Settings {
  Device device = Device::cpu;  ///< where the vectors are; no option of ours
  std::string format;           ///< empty: by trials
  std::string transport;        ///< empty: by trials
  std::string tuning;           ///< file of `rowhalo run --save-tuning`; empty: none
  bool reproducible = false;    ///< formats with csr's bits only
  bool view = false;            ///< report products when the matrix is destroyed
  /// Products by AIJ's own functions before an operator is made; -1: as many as its set-up costs.
  PetscInt after = -1;
  /// Nonzeros of the whole matrix below which AIJ's functions stay.
  PetscInt least_nonzeros = 10000;

  /// Whether something is left to find by trials.
  bool wants_trials() const { return tuning.empty() && (format.empty() || transport.empty()); }
};

/// Collective. Returns PETSC_ERR_USER_INPUT where an option -mat_rowhalo_... is unknown, for
/// whatever matrix, or has a value that is none.
PetscErrorCode read_settings(Mat matrix, Settings& settings);

}  // namespace rowhalo

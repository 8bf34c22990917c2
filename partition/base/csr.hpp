// SPDX-License-Identifier: BSD-3-Clause
//
// Compressed sparse rows on one rank, as kernels take them: local column numbers, values already in
// the precision of the run. Entries of a row stand in stored order (ascending column of the
// source), which is the order in which they are summed.
#pragma once

#include "partition/base/types.hpp"

namespace rowhalo {

/// View; whoever made it keeps the arrays alive.
struct CsrView {
  LocalIndex rows = 0;
  LocalIndex columns = 0;           ///< owned columns and ghosts
  Offset nonzeros = 0;              ///< offsets[rows], which a view of device memory cannot read
  const Offset* offsets = nullptr;  ///< rows + 1, offsets[0] == 0
  const LocalIndex* indices = nullptr;  ///< one per nonzero
  const void* values = nullptr;         ///< one per nonzero, double or float by precision
  Precision precision = Precision::fp64;
  Device device = Device::cpu;  ///< whose memory the arrays (and those of row lists) lie in
  int block = 1;            ///< rows and columns that belong together, as the source says; a hint
  bool value_codes = true;  ///< formats may store values in fewer bytes where that is exact
  bool refillable = false;  ///< values will change: formats keep what SpmvKernel::refill() needs
  int multiprocessors_beside = 0;  ///< that a product of all rows leaves to an exchange; a hint
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What operators on one matrix share: the rank's local matrix as kernels take it, the plan of its
// exchange, and where ranks compute. Views; all that they refer to outlives the operators.
#pragma once

#include "miniapp/halo/transports.hpp"
#include "miniapp/spmv/loaded_matrix.hpp"

namespace rowhalo {

class PartialSumKernels;

struct OperatorParts {
  const Comm& comm;
  const LocalMatrix& matrix;
  const LoadedMatrix& block;  ///< the matrix in the memory of the device
  const HaloPlan& plan;
  ComputeSite site;
  const LoadedColumns* columns = nullptr;   ///< the same cut by columns, for Order::split
  const PartialSumKernels* sums = nullptr;  ///< of a matrix with partial sums
  Connections* connections = nullptr;       ///< that transports share
  bool foreign_vectors = false;  ///< rows without ghosts read x where only owned entries are

  NumberType type() const { return vector_type(block.view().precision); }  ///< of x and y
};

}  // namespace rowhalo

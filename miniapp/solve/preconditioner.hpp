// SPDX-License-Identifier: BSD-3-Clause
//
// Preconditioners: none, jacobi (the inverse of the diagonal), block-jacobi (the inverses of the
// dense b x b blocks on the diagonal, b that of the matrix). A new one is a line in the table of
// preconditioner.cpp.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "kernels/vectors/run_step.hpp"
#include "miniapp/halo/memory/memory.hpp"
#include "partition/comm.hpp"
#include "partition/local_matrix.hpp"

namespace rowhalo {

/// Inverses of dense blocks on the diagonal, in the memory of the device: [row][column of the
/// block].
class BlockJacobi {
 public:
  BlockJacobi(Device device, const std::vector<double>& inverses, int size);

  const double* inverses() const { return memory_.at<double>(); }
  int block_size() const { return size_; }  ///< b: rows of a block
  /// As many others in their place; back when they are there.
  void replace(const std::vector<double>& inverses);

 private:
  Device device_;
  VectorMemory memory_;
  int size_;
};

struct PreconditionerEntry {
  const char* name;
  const char* summary;
  /// Rows of a block for a matrix whose blocks have `block` rows; 0: no preconditioner.
  int (*block_rows)(int block);
};

std::span<const PreconditionerEntry> preconditioners();
/// As `option` named it; throws InputError listing the valid names.
const PreconditionerEntry& find_preconditioner(std::string_view name,
                                               std::string_view option = "preconditioner");

/// Collective. Null for none. Throws AgreedError (run time) naming `option` and a row, as numbered
/// in the source, whose diagonal is zero or whose block is singular: of each rank's first one, the
/// lowest.
std::optional<BlockJacobi> make_preconditioner(const Comm& comm, const LocalMatrix& matrix,
                                               const PreconditionerEntry& entry, Device device,
                                               std::string_view option = "preconditioner");

/// Collective. That of new values of `matrix`, in the place of the one that was made. Throws as
/// make_preconditioner() does.
void refill_preconditioner(const Comm& comm, const LocalMatrix& matrix, BlockJacobi& preconditioner,
                           std::string_view option = "preconditioner");

/// Local. The dense blocks of `size` rows on the diagonal, inverted by Gauss-Jordan elimination
/// with row pivoting: [row][column of the block]. The first singular one is noted in `singular`
/// (local row, -1: none); missing entries are zero, missing rows of the last block those of the
/// identity.
std::vector<double> inverted_blocks(const LocalMatrix& matrix, int size, LocalIndex& singular);

}  // namespace rowhalo

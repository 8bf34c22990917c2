// SPDX-License-Identifier: BSD-3-Clause
//
// A caller's own x: which of its entries must lie in a vector of the transport, too. Owned
// columns come first in local numbers, so rows without ghosts read x where it is. What boundary
// rows read beside ghosts, and what other ranks are sent, is copied, with the same local numbers:
//
//   overlap   entries of boundary rows, and those that are sent
//   split     those that are sent
//   blocking  all
//
// Where that is more than half of x all of it is copied, which reads no list: 16 bytes per owned
// entry in fp64. So is an x that does not begin at a multiple of 16 bytes, which kernels may want.
#pragma once

#include <vector>

#include "miniapp/spmv/local_kernels.hpp"

namespace rowhalo {

class TakenEntries {
 public:
  /// Local. Of so many vectors in row layout as `kernels` multiply together. Throws std::bad_alloc.
  TakenEntries(const OperatorParts& parts, const LocalKernels& kernels);

  /// Copies what is needed of `from`, of this rank's entries, to the owned entries of `to`.
  void take(ConstVectorView from, const HaloVector& to, Stream stream) const;
  /// The same for all entries.
  void take_all(ConstVectorView from, const HaloVector& to, Stream stream) const;
  /// Read and written by take() in a product.
  std::int64_t bytes() const;

 private:
  bool all_;
  LocalIndex owned_;
  NumberType type_;
  int vectors_;                      ///< an entry of each is taken
  std::vector<LocalIndex> indices_;  ///< ascending; on a GPU the device has them
  DeviceArray<LocalIndex> device_indices_;
  std::int64_t count_ = 0;
};

}  // namespace rowhalo

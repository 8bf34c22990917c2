// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels for the sums that ranks compute for each other (partition/partial_sums.hpp): one computes
// them from a rank's entries of x, one adds those that came to the rows they belong to.
#pragma once

#include <memory>
#include <vector>

#include "kernels/formats.hpp"
#include "miniapp/spmv/layouts.hpp"
#include "miniapp/spmv/loaded_matrix.hpp"
#include "partition/partial_sums.hpp"

namespace rowhalo {

/// While all rows are multiplied: for the thread block that waits for sums. On a multiprocessor
/// with others it may leave registers in two pieces, neither of which holds a product's threads.
inline constexpr int multiprocessors_for_sums = 1;

class PartialSumKernels {
 public:
  /// Collective. `sums` outlives it; `entries`: of x, that travel meanwhile; `x`: of `vectors` one
  /// after the other, this rank's entries first, as stored.
  PartialSumKernels(const Comm& comm, const PartialSums& sums, const HaloPlan& entries,
                    Precision precision, Device device, bool value_codes,
                    const std::vector<std::byte>& x, NewValues new_values = NewValues::never,
                    int vectors = 1);

  /// Copies the values of the sums anew, of which refill() of partial_sums.hpp has new ones;
  /// expected() stays what it was.
  void refill(Stream stream);

  std::shared_ptr<const SpmvKernel> sums() const { return sums_; }
  std::shared_ptr<const SpmvKernel> added() const { return added_; }
  /// Of the vector of sums: [those for others | those from others].
  const HaloPlan& plan() const { return plan_; }
  /// What has to come from others for the x of the constructor, as stored, in column layout; it
  /// came here by another way than the exchanges of products.
  ConstVectorsView expected() const {
    return {expected_.data(), {type_, vectors_, Layout::column, plan_.ghosts}};
  }

 private:
  LoadedMatrix sum_matrix_, added_matrix_;
  std::shared_ptr<SpmvKernel> sums_;
  std::shared_ptr<const SpmvKernel> added_;
  const HaloPlan& plan_;
  NumberType type_;
  int vectors_;
  std::vector<std::byte> expected_;
};

}  // namespace rowhalo

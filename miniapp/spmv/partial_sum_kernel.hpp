// SPDX-License-Identifier: BSD-3-Clause
//
// Computes the sums that other ranks add to their rows (partition/partial_sums.hpp), from a rank's
// entries of x into those behind them, before an exchange.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/formats.hpp"
#include "miniapp/halo/halo_vector.hpp"
#include "miniapp/spmv/loaded_matrix.hpp"
#include "partition/halo_plan.hpp"
#include "partition/partial_sums.hpp"

namespace rowhalo {

class PartialSumKernel {
 public:
  /// Local. `sums` outlives it. Its format splits long rows: sums are of few rows and many columns.
  PartialSumKernel(const PartialSums& sums, Precision precision, Device device, bool value_codes);

  /// Fills the sums of `x`.
  void apply(const HaloVector& x, Stream stream) const;
  /// Where they are in `x`.
  std::byte* sums_in(const HaloVector& x) const;
  std::size_t sum_bytes() const;
  KernelWork work() const { return kernel_->work(); }
  /// Collective. What products exchange: the entries of x, the sums, and the ghosts by `plan`, of
  /// which those that are entries of x come from `x`, independently of the plan.
  /// x: all local columns of the matrix without sums; both as stored.
  std::vector<std::byte> exchanged(const Comm& comm, const PartialSums& sums, const HaloPlan& plan,
                                   const std::vector<std::byte>& x) const;

 private:
  LoadedMatrix matrix_;
  std::unique_ptr<SpmvKernel> kernel_;
  LocalIndex first_sum_;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Computes the sums that other ranks add to their rows (partition/partial_sums.hpp), from a rank's
// entries of x into those behind them, before an exchange.
#pragma once

#include <memory>

#include "kernels/formats.hpp"
#include "miniapp/halo/halo_vector.hpp"
#include "miniapp/spmv/loaded_matrix.hpp"
#include "partition/partial_sums.hpp"

namespace rowhalo {

class PartialSumKernel {
 public:
  /// Local. `sums` outlives it. Throws InputError where the format refuses.
  PartialSumKernel(const PartialSums& sums, Precision precision, Device device,
                   const FormatEntry& format, bool value_codes);

  /// Fills the sums of `x`.
  void apply(const HaloVector& x, Stream stream) const;
  /// Where they are in `x`.
  std::byte* sums_in(const HaloVector& x) const;
  std::size_t sum_bytes() const;
  KernelWork work() const { return kernel_->work(); }

 private:
  LoadedMatrix matrix_;
  std::unique_ptr<SpmvKernel> kernel_;
  LocalIndex first_sum_;
};

}  // namespace rowhalo

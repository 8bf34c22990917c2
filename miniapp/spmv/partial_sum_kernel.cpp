// SPDX-License-Identifier: BSD-3-Clause
//
// Sums for others (partial_sum_kernel.hpp).
#include "miniapp/spmv/partial_sum_kernel.hpp"

#include "partition/base/numbers.hpp"

namespace rowhalo {

PartialSumKernel::PartialSumKernel(const PartialSums& sums, Precision precision, Device device,
                                   const FormatEntry& format, bool value_codes)
    : matrix_(sums.sums, precision, device, value_codes),
      kernel_(make_kernel(format, matrix_.view(), all_rows(matrix_.view().rows),
                          Spec::parse(format.name, "--format"))),
      first_sum_(sums.first_sum) {}

void PartialSumKernel::apply(const HaloVector& x, Stream stream) const {
  if (matrix_.view().rows > 0) kernel_->apply(1, x.data, 0, sums_in(x), stream);
}

std::byte* PartialSumKernel::sums_in(const HaloVector& x) const {
  return x.data + static_cast<std::size_t>(first_sum_) * x.element_bytes;
}

std::size_t PartialSumKernel::sum_bytes() const {
  return static_cast<std::size_t>(matrix_.view().rows) *
         vector_value_bytes(matrix_.view().precision);
}

}  // namespace rowhalo

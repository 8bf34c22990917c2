// SPDX-License-Identifier: BSD-3-Clause
//
// csr: one row after the other on one thread, straight from the CSR arrays. The loop that defines
// the bits, and the baseline of every other CPU format.
#include "kernels/cpu/csr_kernel.hpp"

namespace rowhalo {

std::unique_ptr<SpmvKernel> make_csr(const CsrView& matrix, RowListView rows, const Spec& options) {
  return make_csr_kernel(matrix, rows, options, 1, false);
}

}  // namespace rowhalo

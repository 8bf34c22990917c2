// SPDX-License-Identifier: BSD-3-Clause
//
// csr-omp: csr on all threads of the rank. Each thread owns one contiguous range of rows with an
// even share of the nonzeros, cut once. A row belongs to one thread, so the bits are those of csr.
// Values of at most 256 kinds, or exact in 16 bits or in fp32, are kept in 1, 2 or 4 bytes
// (coded_values.hpp; codes=on: in small matrices, too; codes=off: none).
#include "kernels/cost_model.hpp"
#include "kernels/cpu/csr_kernel.hpp"

namespace rowhalo {

std::unique_ptr<SpmvKernel> make_csr_omp(const CsrView& matrix, RowListView rows,
                                         const Spec& options) {
  return make_csr_kernel(matrix, rows, options, parts_for(rows.count), true);
}

Prediction predict_csr_omp(const LocalStatistics& s) {
  // Coding takes a few products at most; the flag has to be the same on all ranks.
  return {.bytes = cost::csr_bytes(s), .reads_csr = true, .saved_bytes = cost::saved_by_codes(s)};
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// csr-omp: csr on all threads of the rank. Each thread owns one contiguous range of rows with an
// even share of the nonzeros, cut once. A row belongs to one thread, so the bits are those of csr.
#include "kernels/cost_model.hpp"
#include "kernels/cpu/csr_kernel.hpp"

namespace rowhalo {

std::unique_ptr<SpmvKernel> make_csr_omp(const CsrView& matrix, RowListView rows,
                                         const Spec& options) {
  return make_csr_kernel(matrix, rows, options, parts_for(rows.count));
}

Prediction predict_csr_omp(const LocalStatistics& s) {
  return {cost::csr_bytes(s), 0, true};
}

}  // namespace rowhalo

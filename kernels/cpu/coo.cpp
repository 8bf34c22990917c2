// SPDX-License-Identifier: BSD-3-Clause
//
// coo: a list of (row, column, value), ordered by row (hyb_kernel.hpp without a block). Threads own
// ranges of rows with an even share of the entries, so that no sum needs an atomic. Gives the bits
// of csr.
//
// Bytes of the matrix: n (v + 8) + 12 per 256 rows + rows.
#include "kernels/cpu/hyb_kernel.hpp"
#include "kernels/options.hpp"

namespace rowhalo {

std::unique_ptr<SpmvKernel> make_coo(const CsrView& matrix, RowListView rows, const Spec& options) {
  const double start = omp_get_wtime();
  check_format_options(options, {"simd"});
  const Isa isa = chosen_isa(options);
  return make_typed<HybKernel>(matrix, rows, LocalIndex{0}, row_lengths(matrix, rows), isa, start);
}

}  // namespace rowhalo

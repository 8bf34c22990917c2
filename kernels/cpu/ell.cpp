// SPDX-License-Identifier: BSD-3-Clause
//
// ell: ELLPACK (Grimes, Kincaid, Young: ITPACK 2.0 user's guide, 1979). Every row is padded to the
// longest of the list and the k-th entries of all rows stand side by side: hyb_kernel.hpp with an
// empty list of coordinates. Gives the bits of csr. Refuses where a few long rows would pad all.
//
// Bytes of the matrix: (v + 4) m L + 12 per 256 rows + rows, with L the longest row.
#include <fmt/format.h>

#include "kernels/cpu/hyb_kernel.hpp"
#include "kernels/options.hpp"

namespace rowhalo {

std::unique_ptr<SpmvKernel> make_ell(const CsrView& matrix, RowListView rows, const Spec& options) {
  const double start = omp_get_wtime();
  check_format_options(options, {"max_padding", "simd"});
  const Isa isa = chosen_isa(options);
  const std::vector<LocalIndex> lengths = row_lengths(matrix, rows);
  const LocalIndex width = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  check_padding(options, {std::int64_t{width} * rows.count, listed_nonzeros(matrix, rows), matrix},
                fmt::format("{} rows of the longest one's {} entries", rows.count, width),
                "use hyb, which takes long rows apart, or sell");
  return make_typed<HybKernel>(matrix, rows, width, lengths, isa, start);
}

}  // namespace rowhalo

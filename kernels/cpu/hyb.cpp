// SPDX-License-Identifier: BSD-3-Clause
//
// hyb: the first `width` entries of each row in an ELLPACK block, the others in a list of
// coordinates (hyb_kernel.hpp). Gives the bits of csr.
// Without width= the one that stores the fewest bytes. One column more costs a slot per row, 12
// bytes in fp64, and saves an entry of 16 in the list for each row that is longer: it pays while
// more than 3/4 (fp32: 2/3) of the rows are longer.
//
// Bytes of the matrix: (v + 4) m W + (v + 8) b + 12 per 256 rows + rows, with W the width and b the
// entries beyond it.
#include <fmt/format.h>

#include <functional>

#include "kernels/cpu/hyb_kernel.hpp"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

LocalIndex width_of_fewest_bytes(std::vector<LocalIndex> lengths, Precision precision) {
  const auto value_bytes = static_cast<std::int64_t>(matrix_value_bytes(precision));
  const std::int64_t slot = value_bytes + 4, entry = value_bytes + 8;
  const auto rows = static_cast<std::int64_t>(lengths.size());
  if (rows == 0) return 0;
  const auto longer = lengths.begin() + rows * slot / entry;  // may be left to the list
  std::nth_element(lengths.begin(), longer, lengths.end(), std::greater<>());
  return *longer;
}

/// The width of the option or of the rule; no more than the longest row.
LocalIndex block_width(const std::vector<LocalIndex>& lengths, Precision precision,
                       const Spec& options) {
  if (!options.has("width")) return width_of_fewest_bytes(lengths, precision);
  const std::int64_t longest =
      lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  return static_cast<LocalIndex>(std::min(options.integer("width", 0, 0), longest));
}

}  // namespace

std::unique_ptr<SpmvKernel> make_hyb(const CsrView& matrix, RowListView rows, const Spec& options) {
  const double start = omp_get_wtime();
  check_format_options(options, {"width", "max_padding", "simd"});
  const Isa isa = chosen_isa(options);
  const std::vector<LocalIndex> lengths = row_lengths(matrix, rows);
  const LocalIndex width = block_width(lengths, matrix.precision, options);
  const Offset nonzeros = listed_nonzeros(matrix, rows);
  std::int64_t beyond = 0;
#pragma omp parallel for schedule(static) reduction(+ : beyond)
  for (LocalIndex k = 0; k < rows.count; ++k) beyond += std::max(lengths[k] - width, 0);
  check_padding(
      options, {std::int64_t{width} * rows.count + beyond, nonzeros, matrix},
      fmt::format("{} rows of {} entries, and the {} beyond them,", rows.count, width, beyond),
      "make width= smaller, or leave it out");
  return make_typed<HybKernel>(matrix, rows, width, lengths, isa, start);
}

}  // namespace rowhalo

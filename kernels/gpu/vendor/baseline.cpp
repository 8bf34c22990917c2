// SPDX-License-Identifier: BSD-3-Clause
//
// Refusals of the vendor's formats (baseline.hpp).
#include "kernels/gpu/vendor/baseline.hpp"

#include <fmt/format.h>

#include <limits>

namespace rowhalo {

void check_whole(const CsrView& matrix, RowListView rows, const Spec& options) {
  if (rows.groups != nullptr) {
    options.fail("a baseline takes all rows of a rank at once; use --schedule blocking");
  }
  if (matrix.nonzeros == 0) options.fail("a baseline takes no matrix without nonzeros");
}

void check_32_bits(std::int64_t entries, const char* name, const Spec& options) {
  if (entries <= std::numeric_limits<std::int32_t>::max()) return;
  options.fail(
      fmt::format("{} {} on a rank are more than 2^31 - 1, which cuSPARSE takes only with "
                  "64-bit columns; use more ranks, or sell",
                  entries, name));
}

}  // namespace rowhalo

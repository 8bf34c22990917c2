// SPDX-License-Identifier: BSD-3-Clause
//
// Offsets of compressed rows (csr_arrays.hpp).
#include "io/csr_arrays.hpp"

namespace rowhalo {

Offset take_offsets(const std::string& place, bool by_columns, GlobalIndex nonzeros,
                    DistributedCsr& matrix) {
  const GlobalIndex first = matrix.first_row;
  const char* what = by_columns ? "column" : "row";
  const auto& offsets = matrix.offsets;
  for (GlobalIndex k = 0; k < std::ssize(offsets); ++k) {
    if (k > 0 && offsets[k] < offsets[k - 1]) {
      throw InputError(fmt::format("{}: falls from {} to {} at {} {}; make the file again", place,
                                   offsets[k - 1], offsets[k], what, first + k - 1),
                       first + k);
    }
    if (offsets[k] < 0 || offsets[k] > nonzeros) {
      throw InputError(
          fmt::format("{}: holds {} for {} {}, but there are {} entries; make the file again",
                      place, offsets[k], what, first + k, nonzeros),
          first + k);
    }
  }
  const Offset begin = offsets.front();
  for (Offset& offset : matrix.offsets) offset -= begin;
  return begin;
}

}  // namespace rowhalo

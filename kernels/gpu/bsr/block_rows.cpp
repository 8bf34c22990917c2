// SPDX-License-Identifier: BSD-3-Clause
//
// What sliced blocks say of themselves (block_rows.hpp).
#include "kernels/gpu/bsr/block_rows.hpp"

#include <fmt/format.h>

namespace rowhalo {

std::string BlockRows::parameters(Offset nonzeros) const {
  const double fill =
      values_count == 0 ? 1 : static_cast<double>(nonzeros) / static_cast<double>(values_count);
  return fmt::format("b={} fill={:.3f} columns={}{}", size, fill, bases.size() > 0 ? 16 : 32,
                     order.size() > 0 ? " sorted" : "");
}

void check_block_bytes(const Spec& options, const CsrView& matrix, RowListView rows, int size,
                       Offset blocks, Offset nonzeros) {
  const auto value_bytes = static_cast<Offset>(matrix_value_bytes(matrix.precision));
  const Offset index_bytes = sizeof(LocalIndex), offset_bytes = sizeof(Offset);
  const Offset own = blocks * (size * size * value_bytes + index_bytes);
  const Offset csr = nonzeros * (value_bytes + index_bytes) + rows.count * offset_bytes;
  if (own < csr || nonzeros == 0) return;
  options.fail(fmt::format(
      "blocks of {0} x {0} with their padding would store {1} bytes, CSR {2}; use sell or "
      "csr-vector, or say b={0}",
      size, own, csr));
}

}  // namespace rowhalo

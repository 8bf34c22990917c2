// SPDX-License-Identifier: BSD-3-Clause
//
// From the precision of a run to the type of a CPU kernel: the only place where a format needs to
// know both.
#pragma once

#include <memory>

#include "kernels/spmv_kernel.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// Kernel<T>(matrix, rows, more...), with T double or float as `matrix` holds.
template <template <class> class Kernel, class... More>
std::unique_ptr<SpmvKernel> make_typed(const CsrView& matrix, RowListView rows,
                                       const More&... more) {
  if (matrix.precision == Precision::fp64) {
    return std::make_unique<Kernel<double>>(matrix, rows, more...);
  }
  return std::make_unique<Kernel<float>>(matrix, rows, more...);
}

}  // namespace rowhalo

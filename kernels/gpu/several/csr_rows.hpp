// SPDX-License-Identifier: BSD-3-Clause
//
// Several vectors at once straight from the arrays of CSR: csr-vector.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gpu/device/number_types.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// The product of several vectors, with `threads` threads per row of one vector: 2 to 512, a power
/// of two; there are rows. Of fp64, fp32 and mixed.
template <class Numbers>
void launch_csr_rows(const CsrView& matrix, RowListView rows, int threads,
                     const LocalProduct& product, cudaStream_t stream);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// New values of a matrix that is in device memory: rounded to its precision, or cut by columns as
// the matrix is. All pointers lie in the memory of the current device; everything happens in the
// order of a stream.
#pragma once

#include "kernels/spmv_kernel.hpp"
#include "partition/base/csr.hpp"

namespace rowhalo {

/// to[k] = from[k] rounded once to `type`, for k in [0, count).
void round_on_device(NumberType type, const double* from, std::int64_t count, void* to,
                     Stream stream);

/// The values of `whole` whose columns are less than `columns` to `below`, the others to `others`:
/// values of matrices of the same rows that have only these entries, in the same order and
/// precision.
void split_on_device(const CsrView& whole, LocalIndex columns, const CsrView& below,
                     void* values_below, const CsrView& others, void* values_of_others,
                     Stream stream);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// y over coordinates without atomics, so that the bits repeat: the product behind coo-segmented and
// the tail of hyb. See segmented_sum.cu.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gpu/conversion/coordinates.hpp"
#include "kernels/product_arguments.hpp"

namespace rowhalo {

/// Entries that a warp sums, one chunk after the other in the list.
inline constexpr Offset entries_per_chunk = 512;

/// What the chunks leave for the second launch: the sums of their first and last rows, which other
/// chunks may share. Row -1: nothing.
template <class T>
struct SegmentSums {
  explicit SegmentSums(Offset entries)
      : rows(2 * ((entries + entries_per_chunk - 1) / entries_per_chunk)), sums(rows.size()) {}
  DeviceArray<LocalIndex> rows;
  DeviceArray<T> sums;
  std::int64_t bytes() const { return rows.bytes() + sums.bytes(); }
};

/// y_i = alpha * (sum over the entries of row i) + beta * y_i for every row that has an entry; the
/// rows stand together in the list.
template <class T>
void add_coordinates(const Coordinates& entries, const SegmentSums<T>& partial,
                     const ProductArguments<T>& product, cudaStream_t stream);

}  // namespace rowhalo

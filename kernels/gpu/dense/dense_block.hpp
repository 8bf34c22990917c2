// SPDX-License-Identifier: BSD-3-Clause
//
// The dense matrix behind the formats dense-*: the listed rows of a local matrix all of whose rows
// hold the same columns in the same order (every entry stored, as in the source `dense`), without
// their indices. Entry e of listed row k lies at k * leading + e (Layout::rows) or at k + e *
// leading (Layout::columns). Nothing is padded but the leading dimension, so a dense format
// multiplies exactly the stored entries.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"
#include "partition/base/spec.hpp"

namespace rowhalo {

class DenseBlock {
 public:
  enum class Layout { rows, columns };

  /// Copies the entries. Throws InputError when the rows differ in their columns.
  DenseBlock(const CsrView& matrix, RowListView rows, Layout layout, const Spec& options);

  /// Copies the entries anew, in the order of `stream`; there are rows.
  void refill(const CsrView& matrix, RowListView rows, Stream stream);

  const void* values() const { return values_.data(); }
  std::int64_t leading() const { return leading_; }
  LocalIndex columns() const { return columns_; }  ///< entries per row
  std::int64_t value_bytes() const { return value_bytes_; }
  std::int64_t footprint_bytes() const {
    return values_.bytes() + gathered_.bytes() + indices_.bytes();
  }
  /// x with its entries in the order of the stored ones: x itself where that is its own order, else
  /// a copy that is put together in `stream`.
  template <class T>
  const T* ordered(const T* x, cudaStream_t stream) const {
    return indices_.size() == 0 ? x : static_cast<const T*>(gathered(x, stream));
  }

 private:
  const void* gathered(const void* x, cudaStream_t stream) const;

  Layout layout_;
  DeviceMemory values_;
  DeviceArray<LocalIndex> indices_;  ///< of the entries of every row; empty: 0, 1, 2, ...
  DeviceMemory gathered_;
  std::size_t vector_bytes_ = 0;
  std::int64_t leading_ = 0, value_bytes_ = 0;
  LocalIndex columns_ = 0;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind csr-scalar and csr-vector: uses the arrays of the CsrView as they are, and has
// no set-up. A format gives the function that launches its one kernel. Bytes of a product: 12
// (fp32: 8) a nonzero, 8 a row offset, the row list, x and y once.
#pragma once

#include <memory>

#include "kernels/gpu/device_work.hpp"
#include "kernels/gpu/launch.hpp"
#include "kernels/spmv_kernel.hpp"

namespace rowhalo {

template <class T>
struct CsrArguments {
  const Offset* offsets;
  const LocalIndex* indices;
  const T* values;
  RowListView rows;
  T alpha;
  const T* x;
  T beta;
  T* y;
};

template <class T>
using CsrLaunch = void (*)(const CsrArguments<T>& arguments, int block, cudaStream_t stream);

template <class T>
class CsrGpuKernel final : public SpmvKernel {
 public:
  CsrGpuKernel(const CsrView& matrix, RowListView rows, CsrLaunch<T> launch, int block)
      : matrix_(matrix), rows_(rows), launch_(launch), block_(block) {}

  void apply(double alpha, const void* x, double beta, void* y, Stream stream) const override {
    if (rows_.count == 0) return;
    launch_(
        {matrix_.offsets, matrix_.indices, static_cast<const T*>(matrix_.values), rows_,
         static_cast<T>(alpha), static_cast<const T*>(x), static_cast<T>(beta), static_cast<T*>(y)},
        block_, native(stream));
    ROWHALO_CUDA(cudaGetLastError());
  }

  KernelWork work() const override {
    const DeviceCounts counts = count_on_device(matrix_, rows_);
    return work_of(
        counts, counts.listed_nonzeros,
        counts.listed_nonzeros * static_cast<std::int64_t>(sizeof(T) + sizeof(LocalIndex)) +
            counts.offsets_read * static_cast<std::int64_t>(sizeof(Offset)) +
            counts.row_list_bytes);
  }

 private:
  CsrView matrix_;
  RowListView rows_;
  CsrLaunch<T> launch_;
  int block_;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind csr-scalar and csr-vector: uses the arrays of the CsrView as they are, and has
// no set-up. A format gives the function that launches its one kernel.
//
// Bytes of the matrix (csr-scalar, csr-vector): n (v + 4) + 8 (m + 1) + rows.
#pragma once

#include <memory>
#include <string>

#include "kernels/gpu/device/device_work.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/number_types.hpp"
#include "kernels/spmv_kernel.hpp"

namespace rowhalo {

template <class Numbers>
struct CsrArguments {
  const Offset* offsets;
  const LocalIndex* indices;
  const typename Numbers::Matrix* values;
  RowListView rows;
  typename Numbers::Sum alpha;
  const typename Numbers::Vector* x;
  typename Numbers::Sum beta;
  typename Numbers::Vector* y;
};

template <class Numbers>
using CsrLaunch = void (*)(const CsrArguments<Numbers>& arguments, int block, cudaStream_t stream);

template <class Numbers>
class CsrGpuKernel final : public SpmvKernel {
 public:
  CsrGpuKernel(const CsrView& matrix, RowListView rows, CsrLaunch<Numbers> launch, int block,
               int threads_per_row)
      : matrix_(matrix),
        rows_(rows),
        launch_(launch),
        block_(block),
        threads_per_row_(threads_per_row) {}

  void apply(double alpha, const void* x, double beta, void* y, Stream stream) const override {
    if (rows_.count == 0) return;
    launch_({matrix_.offsets, matrix_.indices, static_cast<const Matrix*>(matrix_.values), rows_,
             static_cast<Sum>(alpha), static_cast<const Vector*>(x), static_cast<Sum>(beta),
             static_cast<Vector*>(y)},
            block_, native(stream));
    ROWHALO_CUDA(cudaGetLastError());
  }

  KernelWork work() const override {
    const DeviceCounts counts = count_on_device(matrix_, rows_);
    KernelWork work = work_of(
        counts, counts.listed_nonzeros,
        counts.listed_nonzeros * static_cast<std::int64_t>(sizeof(Matrix) + sizeof(LocalIndex)) +
            counts.offsets_read * static_cast<std::int64_t>(sizeof(Offset)) +
            counts.row_list_bytes);
    const LaneUse use = lane_use(matrix_, rows_, threads_per_row_);
    work.coalescing = use.coalescing;
    work.balance = use.balance;
    if (threads_per_row_ > 1) work.parameters = "threads=" + std::to_string(threads_per_row_);
    return work;
  }

 private:
  using Matrix = typename Numbers::Matrix;
  using Vector = typename Numbers::Vector;
  using Sum = typename Numbers::Sum;

  CsrView matrix_;
  RowListView rows_;
  CsrLaunch<Numbers> launch_;
  int block_, threads_per_row_;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind dense-global, -coalesced, -constant, -shared, -shuffle and -split: a DenseBlock
// and the function that launches the format's kernel. The first five are the dense matrix-vector
// kernels of teaching texts, one thread per row; each sums its row with one accumulator in stored
// order, which gives the bits of csr.
//
// Bytes of the matrix (dense-global, dense-coalesced, dense-constant, dense-shared, dense-shuffle,
// dense-split): n v + rows.
#pragma once

#include <chrono>
#include <memory>

#include "kernels/gpu/dense/dense_block.hpp"
#include "kernels/gpu/device/device_work.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/number_types.hpp"
#include "kernels/spmv_kernel.hpp"

namespace rowhalo {

template <class Numbers>
struct DenseArguments {
  const typename Numbers::Matrix* values;
  std::int64_t leading;
  LocalIndex columns;
  RowListView rows;
  typename Numbers::Sum alpha;
  const typename Numbers::Vector* x;  ///< in the order of the entries
  typename Numbers::Sum beta;
  typename Numbers::Vector* y;
  typename Numbers::Sum* sums;  ///< one a listed row, for kernels that come in several launches
};

template <class Numbers>
using DenseLaunch = void (*)(const DenseArguments<Numbers>& arguments, int block,
                             cudaStream_t stream);

enum class PartialSums { none, kept };

template <class Numbers>
class DenseGpuKernel final : public SpmvKernel {
 public:
  DenseGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options,
                 DenseBlock::Layout layout, DenseLaunch<Numbers> launch, int block,
                 PartialSums partial = PartialSums::none, double coalescing = 1)
      : matrix_(matrix),
        rows_(rows),
        dense_(matrix, rows, layout, options),
        sums_(partial == PartialSums::kept ? rows.count : 0),
        launch_(launch),
        block_(block),
        coalescing_(coalescing) {
    setup_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  void apply(double alpha, const void* x, double beta, void* y, Stream stream) const override {
    if (rows_.count == 0) return;
    launch_({static_cast<const Matrix*>(dense_.values()), dense_.leading(), dense_.columns(), rows_,
             static_cast<Sum>(alpha), static_cast<const Vector*>(dense_.ordered(x, stream)),
             static_cast<Sum>(beta), static_cast<Vector*>(y), sums_.data()},
            block_, native(stream));
    ROWHALO_CUDA(cudaGetLastError());
  }

  KernelWork work() const override {
    const DeviceCounts counts = count_on_device(matrix_, rows_);
    KernelWork work =
        work_of(counts, counts.listed_nonzeros, dense_.value_bytes() + counts.row_list_bytes);
    work.footprint_bytes = dense_.footprint_bytes() + sums_.bytes();
    work.setup_seconds = setup_seconds_;
    work.coalescing = coalescing_;
    work.balance = 1;
    return work;
  }

 private:
  using Matrix = typename Numbers::Matrix;
  using Vector = typename Numbers::Vector;
  using Sum = typename Numbers::Sum;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  CsrView matrix_;
  RowListView rows_;
  DenseBlock dense_;
  DeviceArray<Sum> sums_;
  DenseLaunch<Numbers> launch_;
  int block_;
  double coalescing_;
  double setup_seconds_ = 0;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind csr-scalar and csr-vector: uses the arrays of the CsrView as they are, and has
// no set-up. A format gives the function that launches its one kernel.
//
// Bytes of the matrix (csr-scalar, csr-vector): n (v + 4) + 8 (m + 1) + rows.
#pragma once

#include "kernels/gpu/device/device_format.hpp"

namespace rowhalo {

template <class Numbers>
struct CsrGpuArguments : ProductOf<Numbers> {
  const Offset* offsets;
  const LocalIndex* indices;
  const typename Numbers::Matrix* values;
  RowListView rows;
};

template <class Numbers>
using CsrLaunch = void (*)(const CsrGpuArguments<Numbers>& arguments, int block,
                           cudaStream_t stream);

template <class Numbers>
class CsrGpuKernel final : public DeviceFormat {
 public:
  CsrGpuKernel(const CsrView& matrix, RowListView rows, CsrLaunch<Numbers> launch, int block,
               int threads_per_row)
      : DeviceFormat(matrix, rows),
        launch_(launch),
        block_(block),
        threads_per_row_(threads_per_row) {}

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    launch_({product, csr_.offsets, csr_.indices, static_cast<const Matrix*>(csr_.values), rows_},
            block_, stream);
  }

  using Matrix = typename Numbers::Matrix;

  std::int64_t stored_entries() const override { return listed_nonzeros_on_device(csr_, rows_); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return csr_matrix_bytes(counts, sizeof(Matrix));
  }
  std::int64_t footprint_bytes() const override { return 0; }
  std::optional<LaneUse> lanes() const override { return lane_use(csr_, rows_, threads_per_row_); }
  std::string parameters() const override {
    return threads_per_row_ > 1 ? "threads=" + std::to_string(threads_per_row_) : "";
  }

  CsrLaunch<Numbers> launch_;
  int block_, threads_per_row_;
};

}  // namespace rowhalo

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

#include "kernels/gpu/dense/dense_block.hpp"
#include "kernels/gpu/device/device_format.hpp"

namespace rowhalo {

template <class Numbers>
struct DenseArguments : ProductOf<Numbers> {
  const typename Numbers::Matrix* values;
  std::int64_t leading;
  LocalIndex columns;
  RowListView rows;
  typename Numbers::Sum* sums;  ///< one a listed row, for kernels that come in several launches
};

template <class Numbers>
class DenseGpuKernel : public DeviceFormat {
 protected:
  enum class LaneSums { none, kept };
  DenseGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options,
                 DenseBlock::Layout layout, int block, LaneSums partial = LaneSums::none)
      : DeviceFormat(matrix, rows),
        block_(block),
        dense_(matrix, rows, layout, options),
        sums_(partial == LaneSums::kept ? rows.count : 0) {}

  virtual void launch(const DenseArguments<Numbers>& arguments, cudaStream_t stream) const = 0;

  const int block_;  ///< threads per thread block

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const final {
    ProductOf<Numbers> arguments(product);
    arguments.x = dense_.ordered(arguments.x, stream);
    launch({arguments, static_cast<const typename Numbers::Matrix*>(dense_.values()),
            dense_.leading(), dense_.columns(), rows_, sums_.data()},
           stream);
  }
  void refill_values(const CsrView& matrix, Stream stream) final {
    dense_.refill(matrix, rows_, stream);
  }
  bool copies_values() const final { return true; }

  std::int64_t stored_entries() const override { return listed_nonzeros_on_device(csr_, rows_); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return dense_.value_bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override { return dense_.footprint_bytes() + sums_.bytes(); }
  std::optional<LaneUse> lanes() const override { return LaneUse{}; }

  DenseBlock dense_;
  DeviceArray<typename Numbers::Sum> sums_;
};

}  // namespace rowhalo

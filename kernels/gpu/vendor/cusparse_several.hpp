// SPDX-License-Identifier: BSD-3-Clause
//
// cuSPARSE's product of a CSR matrix and several vectors in row layout (cusparseSpMM), for the
// baselines cusparse-csr1 and -csr2. What it takes for a number of vectors, a buffer among it, is
// made by the first product with that number, which therefore must not be captured into a graph.
#pragma once

#include <functional>
#include <vector>

#include "kernels/gpu/vendor/cusparse_kernel.hpp"

namespace rowhalo {

class CusparseSeveral {
 public:
  /// Products take the fastest of `algorithms`.
  explicit CusparseSeveral(std::vector<cusparseSpMMAlg_t> algorithms)
      : algorithms_(std::move(algorithms)) {}

  /// csr: its sizes and its precision are those of `matrix`.
  void multiply(cusparseHandle_t context, cusparseConstSpMatDescr_t matrix, const CsrView& csr,
                const LocalProduct& product, Stream stream);

  std::int64_t bytes() const { return buffer_.bytes(); }

 private:
  /// Takes the fastest algorithm for so many vectors, on vectors of its own.
  void prepare(cusparseHandle_t context, cusparseConstSpMatDescr_t matrix, const CsrView& csr,
               int vectors);
  /// Of a product in the default stream.
  static double least_seconds(const std::function<void()>& product);

  std::vector<cusparseSpMMAlg_t> algorithms_;
  cusparseSpMMAlg_t algorithm_ = CUSPARSE_SPMM_ALG_DEFAULT;
  int vectors_ = 0;  ///< that it is prepared for
  CusparseOwner<cusparseDnMatDescr_t, &Cusparse::destroy_dn_mat> x_, y_;
  DeviceMemory buffer_;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind the baselines cusparse-*: cuSPARSE's generic product, set up as its manual
// advises: 32-bit indices, the buffer allocated and the matrix preprocessed once. They take the
// whole matrix only, with fewer than 2^31 nonzeros (slots): cuSPARSE takes 64-bit offsets only with
// 64-bit columns.
#pragma once

#include "kernels/format_kernel.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "kernels/gpu/vendor/baseline.hpp"
#include "kernels/gpu/vendor/cusparse.hpp"

namespace rowhalo {

[[noreturn]] void throw_cusparse_error(cusparseStatus_t status, const char* call, const char* file,
                                       int line);

#define ROWHALO_CUSPARSE(call)                                         \
  do {                                                                 \
    const cusparseStatus_t rowhalo_status = (call);                    \
    if (rowhalo_status != CUSPARSE_STATUS_SUCCESS) {                   \
      throw_cusparse_error(rowhalo_status, #call, __FILE__, __LINE__); \
    }                                                                  \
  } while (false)

cudaDataType cusparse_type(Precision precision);

class CusparseKernel : public FormatKernel {
 protected:
  CusparseKernel(const CsrView& matrix, cusparseSpMVAlg_t algorithm);

  cusparseHandle_t context() const { return context_.get(); }
  enum class Preparation { on, off };
  /// Takes the matrix and, unless that is off, lets cuSPARSE prepare itself.
  void prepare(cusparseConstSpMatDescr_t matrix, Preparation preparation = Preparation::on);

  /// Held beside the CSR arrays and the buffer.
  virtual std::int64_t own_bytes() const = 0;
  std::int64_t matrix_bytes(const RowCounts&) const override { return own_bytes(); }

 private:
  std::int64_t footprint_bytes() const override {
    return own_bytes() + static_cast<std::int64_t>(buffer_.bytes());
  }
  void multiply(const LocalProduct& product, Stream stream) const override;

  cusparseSpMVAlg_t algorithm_;
  CusparseOwner<cusparseHandle_t, &Cusparse::destroy> context_;
  CusparseOwner<cusparseConstSpMatDescr_t, &Cusparse::destroy_matrix> matrix_;
  CusparseOwner<cusparseDnVecDescr_t, &Cusparse::destroy_dn_vec> x_, y_;
  DeviceMemory buffer_;
};

}  // namespace rowhalo

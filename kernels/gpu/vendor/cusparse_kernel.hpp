// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind the baselines cusparse-*: cuSPARSE's generic product, set up as its manual
// advises: 32-bit indices, the buffer allocated and the matrix preprocessed once. They take the
// whole matrix only, with fewer than 2^31 nonzeros (slots): cuSPARSE takes 64-bit offsets only with
// 64-bit columns.
#pragma once

#include <chrono>
#include <memory>
#include <type_traits>

#include "kernels/gpu/device/runtime.hpp"
#include "kernels/gpu/vendor/cusparse.hpp"
#include "kernels/product_arguments.hpp"
#include "kernels/spmv_kernel.hpp"
#include "partition/base/csr.hpp"

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

class CusparseKernel : public SpmvKernel {
 public:
  KernelWork work() const override;

 protected:
  CusparseKernel(const CsrView& matrix, cusparseSpMVAlg_t algorithm);

  cusparseHandle_t context() const { return context_.get(); }
  enum class Preparation { on, off };
  /// Takes the matrix and, unless that is off, lets cuSPARSE prepare itself.
  void prepare(cusparseConstSpMatDescr_t matrix, Preparation preparation = Preparation::on);

  /// Slots that hold an entry or padding.
  virtual std::int64_t stored_entries() const = 0;
  /// Read in a product, vectors apart.
  virtual std::int64_t matrix_bytes() const = 0;
  /// Held beside the CSR arrays and the buffer.
  virtual std::int64_t own_bytes() const = 0;

  CsrView csr_;

 private:
  void multiply(const LocalProduct& product, Stream stream) const override;
  template <class T>
  void multiply_as(const ProductArguments<T>& product, Stream stream) const;

  struct DestroyContext {
    void operator()(cusparseHandle_t context) const { cusparse().destroy(context); }
  };
  struct DestroyMatrix {
    void operator()(cusparseConstSpMatDescr_t matrix) const { cusparse().destroy_matrix(matrix); }
  };
  struct DestroyVector {
    void operator()(cusparseDnVecDescr_t vector) const { cusparse().destroy_dn_vec(vector); }
  };
  template <class Handle, class Destroy>
  using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  cusparseSpMVAlg_t algorithm_;
  Owner<cusparseHandle_t, DestroyContext> context_;
  Owner<cusparseConstSpMatDescr_t, DestroyMatrix> matrix_;
  Owner<cusparseDnVecDescr_t, DestroyVector> x_, y_;
  DeviceMemory buffer_;
  double setup_seconds_ = 0;
};

}  // namespace rowhalo

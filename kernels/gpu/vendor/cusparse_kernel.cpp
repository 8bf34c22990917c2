// SPDX-License-Identifier: BSD-3-Clause
//
// cuSPARSE's generic product (cusparse_kernel.hpp).
#include "kernels/gpu/vendor/cusparse_kernel.hpp"

#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/number_types.hpp"

namespace rowhalo {

const Cusparse& cusparse() {
  static const Cusparse functions;
  return functions;
}

cudaDataType cusparse_type(Precision precision) {
  return precision == Precision::fp64 ? CUDA_R_64F : CUDA_R_32F;
}

void CusparseKernel::multiply(const LocalProduct& product, Stream stream) const {
  with_wide_numbers(csr_.precision, [&]<class T>() {
    const ProductArguments<T> a(product);
    ROWHALO_CUSPARSE(cusparse().set_stream(context_.get(), native(stream)));
    ROWHALO_CUSPARSE(cusparse().dn_vec_set_values(x_.get(), const_cast<T*>(a.x)));
    ROWHALO_CUSPARSE(cusparse().dn_vec_set_values(y_.get(), a.y));
    ROWHALO_CUSPARSE(cusparse().spmv(context_.get(), operation_, &a.alpha, matrix_.get(), x_.get(),
                                     &a.beta, y_.get(), cusparse_type(csr_.precision), algorithm_,
                                     buffer_.data()));
  });
}

CusparseKernel::CusparseKernel(const CsrView& matrix, cusparseSpMVAlg_t algorithm,
                               cusparseOperation_t operation)
    : FormatKernel(matrix, all_rows(matrix.rows)), algorithm_(algorithm), operation_(operation) {
  cusparseHandle_t context = nullptr;
  ROWHALO_CUSPARSE(cusparse().create(&context));
  context_.reset(context);
}

void CusparseKernel::prepare(cusparseConstSpMatDescr_t matrix, Preparation preparation) {
  matrix_.reset(matrix);
  // Vectors must point somewhere; apply() sets where.
  auto* const somewhere = const_cast<void*>(csr_.values);
  cusparseDnVecDescr_t vector = nullptr;
  const cudaDataType type = cusparse_type(csr_.precision);
  ROWHALO_CUSPARSE(cusparse().create_dn_vec(&vector, csr_.columns, somewhere, type));
  x_.reset(vector);
  ROWHALO_CUSPARSE(cusparse().create_dn_vec(&vector, csr_.rows, somewhere, type));
  y_.reset(vector);
  with_wide_numbers(csr_.precision, [&]<class T>() {
    const T alpha = 1, beta = 0;
    std::size_t bytes = 0;
    ROWHALO_CUSPARSE(cusparse().spmv_buffer_size(context_.get(), operation_, &alpha, matrix_.get(),
                                                 x_.get(), &beta, y_.get(), type, algorithm_,
                                                 &bytes));
    buffer_ = DeviceMemory(bytes);
    if (preparation == Preparation::off) return;
    ROWHALO_CUSPARSE(cusparse().spmv_preprocess(context_.get(), operation_, &alpha, matrix_.get(),
                                                x_.get(), &beta, y_.get(), type, algorithm_,
                                                buffer_.data()));
  });
  synchronize_device();
}

}  // namespace rowhalo

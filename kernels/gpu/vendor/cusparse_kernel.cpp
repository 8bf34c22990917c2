// SPDX-License-Identifier: BSD-3-Clause
//
// cuSPARSE's generic product (cusparse_kernel.hpp).
#include "kernels/gpu/vendor/cusparse_kernel.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "kernels/gpu/device/device_work.hpp"
#include "kernels/gpu/device/launch.hpp"

namespace rowhalo {

const Cusparse& cusparse() {
  static const Cusparse functions;
  return functions;
}

void throw_cusparse_error(cusparseStatus_t status, const char* call, const char* file, int line) {
  throw std::runtime_error(fmt::format("{}:{}: {}: {} ({})", file, line, call,
                                       cusparse().error_string(status),
                                       cusparse().error_name(status)));
}

cudaDataType cusparse_type(Precision precision) {
  return precision == Precision::fp64 ? CUDA_R_64F : CUDA_R_32F;
}

template <class T>
void CusparseKernel::multiply_as(const ProductArguments<T>& product, Stream stream) const {
  ROWHALO_CUSPARSE(cusparse().set_stream(context_.get(), native(stream)));
  ROWHALO_CUSPARSE(cusparse().dn_vec_set_values(x_.get(), const_cast<T*>(product.x)));
  ROWHALO_CUSPARSE(cusparse().dn_vec_set_values(y_.get(), product.y));
  ROWHALO_CUSPARSE(cusparse().spmv(context_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &product.alpha,
                                   matrix_.get(), x_.get(), &product.beta, y_.get(),
                                   cusparse_type(csr_.precision), algorithm_, buffer_.data()));
}

void CusparseKernel::multiply(const LocalProduct& product, Stream stream) const {
  if (csr_.precision == Precision::fp64) {
    multiply_as<double>(product, stream);
  } else {
    multiply_as<float>(product, stream);
  }
}

KernelWork CusparseKernel::work() const {
  const DeviceCounts counts = count_on_device(csr_, all_rows(csr_.rows));
  KernelWork work = work_of(counts, stored_entries(), matrix_bytes());
  work.footprint_bytes = own_bytes() + static_cast<std::int64_t>(buffer_.bytes());
  work.setup_seconds = setup_seconds_;
  return work;
}

CusparseKernel::CusparseKernel(const CsrView& matrix, cusparseSpMVAlg_t algorithm)
    : csr_(matrix), algorithm_(algorithm) {
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
  const double one = 1, zero = 0;
  const float single_one = 1, single_zero = 0;
  const bool wide = csr_.precision == Precision::fp64;
  const void* alpha = wide ? static_cast<const void*>(&one) : &single_one;
  const void* beta = wide ? static_cast<const void*>(&zero) : &single_zero;
  std::size_t bytes = 0;
  ROWHALO_CUSPARSE(cusparse().spmv_buffer_size(context_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                                               alpha, matrix_.get(), x_.get(), beta, y_.get(), type,
                                               algorithm_, &bytes));
  buffer_ = DeviceMemory(bytes);
  if (preparation == Preparation::on) {
    ROWHALO_CUSPARSE(cusparse().spmv_preprocess(context_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                                                alpha, matrix_.get(), x_.get(), beta, y_.get(),
                                                type, algorithm_, buffer_.data()));
  }
  synchronize_device();
  setup_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace rowhalo

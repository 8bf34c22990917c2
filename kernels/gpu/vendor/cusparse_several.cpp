// SPDX-License-Identifier: BSD-3-Clause
//
// cuSPARSE's product with several vectors (cusparse_several.hpp).
#include "kernels/gpu/vendor/cusparse_several.hpp"

#include <algorithm>

#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/number_types.hpp"

namespace rowhalo {
namespace {

/// In row layout: the entries of a row are adjacent.
cusparseDnMatDescr_t describe_vectors(LocalIndex rows, int vectors, void* data,
                                      Precision precision) {
  cusparseDnMatDescr_t description = nullptr;
  ROWHALO_CUSPARSE(cusparse().create_dn_mat(&description, rows, vectors, vectors, data,
                                            cusparse_type(precision), CUSPARSE_ORDER_ROW));
  return description;
}

constexpr auto as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

}  // namespace

void CusparseSeveral::multiply(cusparseHandle_t context, cusparseConstSpMatDescr_t matrix,
                               const CsrView& csr, const LocalProduct& product, Stream stream) {
  if (vectors_ != product.vectors) prepare(context, matrix, csr, product.vectors);
  with_wide_numbers(csr.precision, [&]<class T>() {
    const ProductArguments<T> a(product);
    ROWHALO_CUSPARSE(cusparse().set_stream(context, native(stream)));
    ROWHALO_CUSPARSE(cusparse().dn_mat_set_values(x_.get(), const_cast<T*>(a.x)));
    ROWHALO_CUSPARSE(cusparse().dn_mat_set_values(y_.get(), a.y));
    ROWHALO_CUSPARSE(cusparse().spmm(context, as_is, as_is, &a.alpha, matrix, x_.get(), &a.beta,
                                     y_.get(), cusparse_type(csr.precision), algorithm_,
                                     buffer_.data()));
  });
}

void CusparseSeveral::prepare(cusparseHandle_t context, cusparseConstSpMatDescr_t matrix,
                              const CsrView& csr, int vectors) {
  const std::int64_t value = static_cast<std::int64_t>(matrix_value_bytes(csr.precision));
  const DeviceMemory x(csr.columns * value * vectors), y(csr.rows * value * vectors);
  set_bytes_async(x.data(), 0, x.bytes(), Stream{});
  x_.reset(describe_vectors(csr.columns, vectors, x.data(), csr.precision));
  y_.reset(describe_vectors(csr.rows, vectors, y.data(), csr.precision));
  ROWHALO_CUSPARSE(cusparse().set_stream(context, nullptr));
  const cudaDataType type = cusparse_type(csr.precision);
  double least = std::numeric_limits<double>::infinity();
  with_wide_numbers(csr.precision, [&]<class T>() {
    const T alpha = 1, beta = 0;
    const auto preprocess = [&](cusparseSpMMAlg_t algorithm, const DeviceMemory& buffer) {
      ROWHALO_CUSPARSE(cusparse().spmm_preprocess(context, as_is, as_is, &alpha, matrix, x_.get(),
                                                  &beta, y_.get(), type, algorithm, buffer.data()));
    };
    for (const cusparseSpMMAlg_t algorithm : algorithms_) {
      std::size_t bytes = 0;
      ROWHALO_CUSPARSE(cusparse().spmm_buffer_size(context, as_is, as_is, &alpha, matrix, x_.get(),
                                                   &beta, y_.get(), type, algorithm, &bytes));
      DeviceMemory buffer(static_cast<std::int64_t>(bytes));
      preprocess(algorithm, buffer);
      const auto multiply_once = [&] {
        ROWHALO_CUSPARSE(cusparse().spmm(context, as_is, as_is, &alpha, matrix, x_.get(), &beta,
                                         y_.get(), type, algorithm, buffer.data()));
      };
      const double seconds = algorithms_.size() == 1 ? 0 : least_seconds(multiply_once);
      if (seconds >= least) continue;
      least = seconds;
      algorithm_ = algorithm;
      buffer_ = std::move(buffer);
    }
    // The matrix knows what the last one has prepared, in a buffer that may be gone.
    preprocess(algorithm_, buffer_);
  });
  synchronize_device();
  vectors_ = vectors;
}

double CusparseSeveral::least_seconds(const std::function<void()>& product) {
  constexpr int trials = 5;
  double least = std::numeric_limits<double>::infinity();
  const EventHandle begin, end;
  for (int trial = 0; trial < trials; ++trial) {
    begin.record(Stream{});
    product();
    end.record(Stream{});
    end.synchronize();
    least = std::min(least, seconds_between(begin, end));
  }
  return least;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The baselines cusparse-csr1, cusparse-csr2 (algorithms 1 and 2 for CSR) and cusparse-sell (sliced
// ELLPACK, `c=` rows a slice): cuSPARSE's generic product, set up as its manual advises: 32-bit
// indices, the buffer allocated and the matrix preprocessed once. They take the whole matrix only,
// with fewer than 2^31 nonzeros (slots): cuSPARSE takes 64-bit offsets only with 64-bit columns.
// Bytes of a product: 12 (fp32: 8) a nonzero (slot), 4 a row (slice) and the end, x and y once.
#include <cusparse.h>
#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <stdexcept>

#include "kernels/formats.hpp"
#include "kernels/gpu/convert.hpp"
#include "kernels/gpu/device_work.hpp"
#include "kernels/gpu/launch.hpp"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

[[noreturn]] void throw_cusparse_error(cusparseStatus_t status, const char* call, int line) {
  throw std::runtime_error(fmt::format("{}:{}: {}: {} ({})", __FILE__, line, call,
                                       cusparseGetErrorString(status),
                                       cusparseGetErrorName(status)));
}

#define ROWHALO_CUSPARSE(call)                               \
  do {                                                       \
    const cusparseStatus_t rowhalo_status = (call);          \
    if (rowhalo_status != CUSPARSE_STATUS_SUCCESS) {         \
      throw_cusparse_error(rowhalo_status, #call, __LINE__); \
    }                                                        \
  } while (false)

struct DestroyContext {
  void operator()(cusparseHandle_t context) const { cusparseDestroy(context); }
};
struct DestroyMatrix {
  void operator()(cusparseConstSpMatDescr_t matrix) const { cusparseDestroySpMat(matrix); }
};
struct DestroyVector {
  void operator()(cusparseDnVecDescr_t vector) const { cusparseDestroyDnVec(vector); }
};
template <class Handle, class Destroy>
using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

cudaDataType type_of(Precision precision) {
  return precision == Precision::fp64 ? CUDA_R_64F : CUDA_R_32F;
}

/// Refuses what a baseline cannot take.
void check_whole(const CsrView& matrix, RowListView rows, const Spec& options) {
  if (rows.groups != nullptr) {
    options.fail("a baseline takes all rows of a rank at once; use --schedule blocking");
  }
  if (matrix.nonzeros == 0) options.fail("cuSPARSE takes no matrix without nonzeros");
}

void check_32_bits(std::int64_t entries, const char* name, const Spec& options) {
  if (entries <= std::numeric_limits<std::int32_t>::max()) return;
  options.fail(
      fmt::format("{} {} on a rank are more than 2^31 - 1, which cuSPARSE takes only with "
                  "64-bit columns; use more ranks, or sell",
                  entries, name));
}

class CusparseKernel : public SpmvKernel {
 public:
  void apply(double alpha, const void* x, double beta, void* y, Stream stream) const override {
    const float single_alpha = static_cast<float>(alpha), single_beta = static_cast<float>(beta);
    const bool wide = csr_.precision == Precision::fp64;
    const void* a = wide ? static_cast<const void*>(&alpha) : &single_alpha;
    const void* b = wide ? static_cast<const void*>(&beta) : &single_beta;
    ROWHALO_CUSPARSE(cusparseSetStream(context_.get(), native(stream)));
    ROWHALO_CUSPARSE(cusparseDnVecSetValues(x_.get(), const_cast<void*>(x)));
    ROWHALO_CUSPARSE(cusparseDnVecSetValues(y_.get(), y));
    ROWHALO_CUSPARSE(cusparseSpMV(context_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, a,
                                  matrix_.get(), x_.get(), b, y_.get(), type_of(csr_.precision),
                                  algorithm_, buffer_.data()));
  }

  KernelWork work() const override {
    const DeviceCounts counts = count_on_device(csr_, all_rows(csr_.rows));
    KernelWork work = work_of(counts, stored_entries(), matrix_bytes());
    work.footprint_bytes = own_bytes() + static_cast<std::int64_t>(buffer_.bytes());
    work.setup_seconds = setup_seconds_;
    return work;
  }

 protected:
  CusparseKernel(const CsrView& matrix, cusparseSpMVAlg_t algorithm)
      : csr_(matrix), algorithm_(algorithm) {
    cusparseHandle_t context = nullptr;
    ROWHALO_CUSPARSE(cusparseCreate(&context));
    context_.reset(context);
  }

  /// Takes the matrix and lets cuSPARSE prepare itself.
  void prepare(cusparseConstSpMatDescr_t matrix) {
    matrix_.reset(matrix);
    // Vectors must point somewhere; apply() sets where.
    auto* const somewhere = const_cast<void*>(csr_.values);
    cusparseDnVecDescr_t vector = nullptr;
    const cudaDataType type = type_of(csr_.precision);
    ROWHALO_CUSPARSE(cusparseCreateDnVec(&vector, csr_.columns, somewhere, type));
    x_.reset(vector);
    ROWHALO_CUSPARSE(cusparseCreateDnVec(&vector, csr_.rows, somewhere, type));
    y_.reset(vector);
    const double one = 1, zero = 0;
    const float single_one = 1, single_zero = 0;
    const bool wide = csr_.precision == Precision::fp64;
    const void* alpha = wide ? static_cast<const void*>(&one) : &single_one;
    const void* beta = wide ? static_cast<const void*>(&zero) : &single_zero;
    std::size_t bytes = 0;
    ROWHALO_CUSPARSE(cusparseSpMV_bufferSize(context_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                                             alpha, matrix_.get(), x_.get(), beta, y_.get(), type,
                                             algorithm_, &bytes));
    buffer_ = DeviceMemory(bytes);
    ROWHALO_CUSPARSE(cusparseSpMV_preprocess(context_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                                             alpha, matrix_.get(), x_.get(), beta, y_.get(), type,
                                             algorithm_, buffer_.data()));
    synchronize_device();
    setup_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  /// Slots that hold an entry or padding.
  virtual std::int64_t stored_entries() const = 0;
  /// Read in a product, vectors apart.
  virtual std::int64_t matrix_bytes() const = 0;
  /// Held beside the CSR arrays and the buffer.
  virtual std::int64_t own_bytes() const = 0;

  CsrView csr_;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  cusparseSpMVAlg_t algorithm_;
  Owner<cusparseHandle_t, DestroyContext> context_;
  Owner<cusparseConstSpMatDescr_t, DestroyMatrix> matrix_;
  Owner<cusparseDnVecDescr_t, DestroyVector> x_, y_;
  DeviceMemory buffer_;
  double setup_seconds_ = 0;
};

class CusparseCsr final : public CusparseKernel {
 public:
  CusparseCsr(const CsrView& matrix, cusparseSpMVAlg_t algorithm)
      : CusparseKernel(matrix, algorithm),
        offsets_(narrowed(matrix.offsets, std::int64_t{matrix.rows} + 1)) {
    cusparseConstSpMatDescr_t description = nullptr;
    ROWHALO_CUSPARSE(cusparseCreateConstCsr(&description, matrix.rows, matrix.columns,
                                            matrix.nonzeros, offsets_.data(), matrix.indices,
                                            matrix.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                            CUSPARSE_INDEX_BASE_ZERO, type_of(matrix.precision)));
    prepare(description);
  }

 private:
  std::int64_t stored_entries() const override { return csr_.nonzeros; }
  std::int64_t matrix_bytes() const override {
    const auto entry = static_cast<std::int64_t>(matrix_value_bytes(csr_.precision) +
                                                sizeof(LocalIndex));
    return csr_.nonzeros * entry + own_bytes();
  }
  std::int64_t own_bytes() const override { return offsets_.bytes(); }

  DeviceArray<std::int32_t> offsets_;
};

class CusparseSell final : public CusparseKernel {
 public:
  CusparseSell(const CsrView& matrix, const Spec& options)
      : CusparseKernel(matrix, CUSPARSE_SPMV_SELL_ALG1) {
    const Slices slices{static_cast<LocalIndex>(options.integer("c", warp_size, 1, 1 << 20)),
                        Slices::Last::whole};
    const RowListView rows = all_rows(matrix.rows);
    const DeviceArray<Offset> begins = slice_begins(matrix, rows, slices);
    Offset slots = 0;
    copy_now(&slots, begins.data() + begins.size() - 1, sizeof(slots));
    check_32_bits(slots, "slots", options);
    check_padding(options, {slots, matrix.nonzeros, matrix.nonzeros},
                  fmt::format("slices of {} rows", slices.rows),
                  "make c smaller, or use csr-vector");
    begins_ = narrowed(begins.data(), begins.size());
    indices_ = DeviceArray<LocalIndex>(slots);
    values_ = DeviceMemory(static_cast<std::size_t>(slots) * matrix_value_bytes(matrix.precision));
    fill_slices(matrix, rows, slices, begins.data(), indices_.data(), values_.data());
    cusparseConstSpMatDescr_t description = nullptr;
    ROWHALO_CUSPARSE(cusparseCreateConstSlicedEll(
        &description, matrix.rows, matrix.columns, matrix.nonzeros, slots, slices.rows,
        begins_.data(), indices_.data(), values_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, type_of(matrix.precision)));
    prepare(description);
  }

 private:
  std::int64_t stored_entries() const override { return indices_.size(); }
  std::int64_t matrix_bytes() const override { return own_bytes(); }
  std::int64_t own_bytes() const override {
    return begins_.bytes() + indices_.bytes() + static_cast<std::int64_t>(values_.bytes());
  }

  DeviceArray<std::int32_t> begins_;
  DeviceArray<LocalIndex> indices_;
  DeviceMemory values_;
};

std::unique_ptr<SpmvKernel> make_cusparse_csr(const CsrView& matrix, RowListView rows,
                                              const Spec& options, cusparseSpMVAlg_t algorithm) {
  check_format_options(options, {});
  check_whole(matrix, rows, options);
  check_32_bits(matrix.nonzeros, "nonzeros", options);
  return std::make_unique<CusparseCsr>(matrix, algorithm);
}

}  // namespace

std::unique_ptr<SpmvKernel> make_cusparse_csr1(const CsrView& matrix, RowListView rows,
                                               const Spec& options) {
  return make_cusparse_csr(matrix, rows, options, CUSPARSE_SPMV_CSR_ALG1);
}

std::unique_ptr<SpmvKernel> make_cusparse_csr2(const CsrView& matrix, RowListView rows,
                                               const Spec& options) {
  return make_cusparse_csr(matrix, rows, options, CUSPARSE_SPMV_CSR_ALG2);
}

std::unique_ptr<SpmvKernel> make_cusparse_sell(const CsrView& matrix, RowListView rows,
                                               const Spec& options) {
  check_format_options(options, {"c", "max_padding"});
  check_whole(matrix, rows, options);
  return std::make_unique<CusparseSell>(matrix, options);
}

}  // namespace rowhalo

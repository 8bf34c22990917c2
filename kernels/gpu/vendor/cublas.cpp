// SPDX-License-Identifier: BSD-3-Clause
//
// The baseline cublas: cublasDgemv or cublasSgemv on the dense matrix, columns one after the other
// (layout=columns, not transposed, the faster on an H200) or rows (layout=rows, transposed). Takes
// the whole matrix only. The library is opened when this format is asked for: loading it with the
// program would cost every process 0.1 s.
//
// Bytes of the matrix: n v.
#include <cublas_v2.h>

#include <stdexcept>

#include "kernels/gpu/dense/dense_block.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/vendor/baseline.hpp"
#include "partition/base/shared_library.hpp"

namespace rowhalo {
namespace {

/// The functions used here, from the library of the version that the headers are of.
struct Cublas {
  SharedLibrary library{fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR)};

#define ROWHALO_STRING(name) #name
// Through a second macro: the headers rename most functions.
#define ROWHALO_FUNCTION(member, name) \
  decltype(name)* member = library.function<decltype(name)>(ROWHALO_STRING(name))
  ROWHALO_FUNCTION(create, cublasCreate);
  ROWHALO_FUNCTION(destroy, cublasDestroy);
  ROWHALO_FUNCTION(set_stream, cublasSetStream);
  ROWHALO_FUNCTION(set_workspace, cublasSetWorkspace);
  ROWHALO_FUNCTION(dgemv, cublasDgemv);
  ROWHALO_FUNCTION(sgemv, cublasSgemv);
  ROWHALO_FUNCTION(error_name, cublasGetStatusName);
  ROWHALO_FUNCTION(error_string, cublasGetStatusString);
#undef ROWHALO_FUNCTION
#undef ROWHALO_STRING
};

const Cublas& cublas() {
  static const Cublas functions;
  return functions;
}

#define ROWHALO_CUBLAS(call) check_vendor(cublas(), (call), #call, __FILE__, __LINE__)

struct DestroyContext {
  void operator()(cublasHandle_t context) const { cublas().destroy(context); }
};

DenseBlock::Layout layout_option(const Spec& options) {
  return options.word("layout", {"columns", "rows"}) == "rows" ? DenseBlock::Layout::rows
                                                               : DenseBlock::Layout::columns;
}

class CublasKernel final : public FormatKernel {
 public:
  CublasKernel(const CsrView& matrix, const Spec& options)
      : FormatKernel(matrix, all_rows(matrix.rows)),
        layout_(layout_option(options)),
        dense_(matrix, all_rows(matrix.rows), layout_, options),
        workspace_(workspace_bytes) {
    cublasHandle_t context = nullptr;
    ROWHALO_CUBLAS(cublas().create(&context));
    context_.reset(context);
    // With its own workspace cuBLAS allocates nothing while a graph is captured.
    ROWHALO_CUBLAS(cublas().set_workspace(context, workspace_.data(), workspace_.bytes()));
  }

 private:
  std::int64_t stored_entries() const override { return csr_.nonzeros; }
  std::int64_t matrix_bytes(const RowCounts&) const override { return dense_.value_bytes(); }
  std::int64_t footprint_bytes() const override {
    return dense_.footprint_bytes() + workspace_.bytes();
  }

  void multiply(const LocalProduct& product, Stream stream) const override {
    if (csr_.precision == Precision::fp64) {
      multiply_as<double>(product, cublas().dgemv, stream);
    } else {
      multiply_as<float>(product, cublas().sgemv, stream);
    }
  }

  template <class T, class Gemv>
  void multiply_as(const ProductArguments<T>& product, Gemv* gemv, Stream stream) const {
    ROWHALO_CUBLAS(cublas().set_stream(context_.get(), native(stream)));
    const bool by_rows = layout_ == DenseBlock::Layout::rows;
    const cublasOperation_t operation = by_rows ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int m = by_rows ? dense_.columns() : csr_.rows;
    const int n = by_rows ? csr_.rows : dense_.columns();
    const int leading = static_cast<int>(dense_.leading());
    ROWHALO_CUBLAS(gemv(context_.get(), operation, m, n, &product.alpha,
                        static_cast<const T*>(dense_.values()), leading,
                        dense_.ordered(product.x, native(stream)), 1, &product.beta, product.y, 1));
  }

  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

  DenseBlock::Layout layout_;
  DenseBlock dense_;
  DeviceMemory workspace_;
  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, DestroyContext> context_;
};

}  // namespace

const FormatParts cublas_format{[](const CsrView& matrix, RowListView rows, const Spec& options) {
                                  try {
                                    cublas();
                                  } catch (const std::runtime_error& error) {
                                    options.fail(error.what());
                                  }
                                  return make_baseline<CublasKernel>(matrix, rows, options);
                                },
                                {"layout"}};

}  // namespace rowhalo

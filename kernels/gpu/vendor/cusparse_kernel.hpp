// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind the baselines cusparse-*: cuSPARSE's generic product, set up as its manual
// advises: 32-bit indices, the buffer allocated and the matrix preprocessed once. They take the
// whole matrix only, with fewer than 2^31 nonzeros (slots): cuSPARSE takes 64-bit offsets only with
// 64-bit columns.
// The library is opened when a format of it is asked for: loading it with the program cost every
// process 9 of 21 ms.
#pragma once

#define DISABLE_CUSPARSE_DEPRECATED  // the conversion into blocks has no successor
#include <cusparse.h>

#include "kernels/gpu/device/runtime.hpp"
#include "kernels/gpu/vendor/baseline.hpp"
#include "partition/base/shared_library.hpp"

namespace rowhalo {

/// The functions used here, from the library of the version that the headers are of.
struct Cusparse {
  SharedLibrary library{fmt::format("libcusparse.so.{}", CUSPARSE_VER_MAJOR)};

#define ROWHALO_FUNCTION(member, name) \
  decltype(name)* member = library.function<decltype(name)>(#name)
  ROWHALO_FUNCTION(destroy, cusparseDestroy);
  ROWHALO_FUNCTION(destroy_matrix, cusparseDestroySpMat);
  ROWHALO_FUNCTION(destroy_dn_vec, cusparseDestroyDnVec);
  ROWHALO_FUNCTION(create_csr, cusparseCreateConstCsr);
  ROWHALO_FUNCTION(create_sliced_ell, cusparseCreateConstSlicedEll);
  ROWHALO_FUNCTION(destroy_mat_descr, cusparseDestroyMatDescr);
  ROWHALO_FUNCTION(create_mat_descr, cusparseCreateMatDescr);
  ROWHALO_FUNCTION(csr2bsr_nonzeros, cusparseXcsr2bsrNnz);
  ROWHALO_FUNCTION(create_bsr, cusparseCreateConstBsr);
  ROWHALO_FUNCTION(dcsr2bsr, cusparseDcsr2bsr);
  ROWHALO_FUNCTION(scsr2bsr, cusparseScsr2bsr);
  ROWHALO_FUNCTION(csr2csc, cusparseCsr2cscEx2);
  ROWHALO_FUNCTION(csr2csc_buffer_size, cusparseCsr2cscEx2_bufferSize);
  ROWHALO_FUNCTION(create_coo, cusparseCreateConstCoo);
  ROWHALO_FUNCTION(error_string, cusparseGetErrorString);
  ROWHALO_FUNCTION(error_name, cusparseGetErrorName);
  ROWHALO_FUNCTION(set_stream, cusparseSetStream);
  ROWHALO_FUNCTION(dn_vec_set_values, cusparseDnVecSetValues);
  ROWHALO_FUNCTION(spmv, cusparseSpMV);
  ROWHALO_FUNCTION(create, cusparseCreate);
  ROWHALO_FUNCTION(create_dn_vec, cusparseCreateDnVec);
  ROWHALO_FUNCTION(spmv_buffer_size, cusparseSpMV_bufferSize);
  ROWHALO_FUNCTION(spmv_preprocess, cusparseSpMV_preprocess);
  ROWHALO_FUNCTION(create_dn_mat, cusparseCreateDnMat);
  ROWHALO_FUNCTION(destroy_dn_mat, cusparseDestroyDnMat);
  ROWHALO_FUNCTION(dn_mat_set_values, cusparseDnMatSetValues);
  ROWHALO_FUNCTION(spmm, cusparseSpMM);
  ROWHALO_FUNCTION(spmm_buffer_size, cusparseSpMM_bufferSize);
  ROWHALO_FUNCTION(spmm_preprocess, cusparseSpMM_preprocess);
#undef ROWHALO_FUNCTION
};

/// Throws std::runtime_error where it cannot be opened.
const Cusparse& cusparse();

/// Owner of a handle that a function of the library destroys: CusparseOwner<cusparseHandle_t,
/// &Cusparse::destroy>.
template <auto destroy>
struct CusparseDestroy {
  template <class Handle>
  void operator()(Handle handle) const {
    (cusparse().*destroy)(handle);
  }
};
template <class Handle, auto destroy>
using CusparseOwner = std::unique_ptr<std::remove_pointer_t<Handle>, CusparseDestroy<destroy>>;

#define ROWHALO_CUSPARSE(call) check_vendor(cusparse(), (call), #call, __FILE__, __LINE__)

cudaDataType cusparse_type(Precision precision);

class CusparseKernel : public FormatKernel {
 protected:
  CusparseKernel(const CsrView& matrix, cusparseSpMVAlg_t algorithm,
                 cusparseOperation_t operation = CUSPARSE_OPERATION_NON_TRANSPOSE);

  cusparseHandle_t context() const { return context_.get(); }
  cusparseConstSpMatDescr_t matrix() const { return matrix_.get(); }
  enum class Preparation { on, off };
  /// Takes the matrix and, unless that is off, lets cuSPARSE prepare itself.
  void prepare(cusparseConstSpMatDescr_t matrix, Preparation preparation = Preparation::on);

  /// Held beside the CSR arrays and the buffer.
  virtual std::int64_t own_bytes() const = 0;
  std::int64_t matrix_bytes(const RowCounts&) const override { return own_bytes(); }

 private:
  std::int64_t footprint_bytes() const override { return own_bytes() + buffer_.bytes(); }
  void multiply(const LocalProduct& product, Stream stream) const override;

  cusparseSpMVAlg_t algorithm_;
  cusparseOperation_t operation_;  ///< of the matrix that prepare() takes
  CusparseOwner<cusparseHandle_t, &Cusparse::destroy> context_;
  CusparseOwner<cusparseConstSpMatDescr_t, &Cusparse::destroy_matrix> matrix_;
  CusparseOwner<cusparseDnVecDescr_t, &Cusparse::destroy_dn_vec> x_, y_;
  DeviceMemory buffer_;
};

}  // namespace rowhalo

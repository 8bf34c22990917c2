// SPDX-License-Identifier: BSD-3-Clause
//
// cuSPARSE, opened when a format of it is asked for: loading it with the program cost every process
// 9 of 21 ms.
#pragma once

#define DISABLE_CUSPARSE_DEPRECATED  // the conversion into blocks has no successor
#include <cusparse.h>
#include <fmt/format.h>

#include <memory>
#include <type_traits>

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

}  // namespace rowhalo

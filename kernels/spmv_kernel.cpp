// SPDX-License-Identifier: BSD-3-Clause
//
// What is checked for all kernels and their vectors (spmv_kernel.hpp, local_product.hpp).
#include "kernels/spmv_kernel.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace rowhalo {

void throw_other_type(NumberType given, NumberType wanted) {
  throw std::logic_error(fmt::format("a kernel for vectors of {} was given one of {}",
                                     name_of(wanted), name_of(given)));
}

void SpmvKernel::apply(const LocalProduct& product, Stream stream) const {
  if (product.vectors < 1 || product.vectors > most_vectors) {
    throw std::logic_error(fmt::format("a product of {} vectors was asked for", product.vectors));
  }
  if (product.vectors > 1) {
    if (!takes_several()) {
      throw std::logic_error(
          fmt::format("a kernel that takes one vector was given {}", product.vectors));
    }
    if (product.dot_parts != nullptr) {
      throw std::logic_error("a dot product of several vectors was asked for");
    }
    return multiply_several(product, stream);
  }
  if (product.dot_parts != nullptr && !dot_parts()) {
    throw std::logic_error("a kernel that sums no dot product was asked for one");
  }
  multiply(product, stream);
}

KernelWork SpmvKernel::work(int vectors) const {
  KernelWork work = this->work();
  const std::int64_t vector_bytes = work.bytes - work.matrix_bytes;
  if (!takes_several()) work.matrix_bytes *= vectors;
  work.bytes = work.matrix_bytes + vectors * vector_bytes;
  work.flops *= vectors;
  return work;
}

void SpmvKernel::refill_from(const void*, Stream) {
  throw std::logic_error("a kernel that reads the values of CSR was given others");
}

}  // namespace rowhalo

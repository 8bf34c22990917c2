// SPDX-License-Identifier: BSD-3-Clause
//
// What is wrong with a vector (local_product.hpp).
#include "kernels/local_product.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace rowhalo {

void throw_other_type(NumberType given, NumberType wanted) {
  throw std::logic_error(fmt::format("a kernel for vectors of {} was given one of {}",
                                     name_of(wanted), name_of(given)));
}

}  // namespace rowhalo

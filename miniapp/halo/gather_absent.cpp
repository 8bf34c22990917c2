// SPDX-License-Identifier: BSD-3-Clause
//
// The gather kernel (gather.cu) of a build without CUDA.
#include <stdexcept>

#include "miniapp/halo/gather.hpp"

namespace rowhalo {

void gather_on_device(NumberType, int, std::int64_t, const LocalIndex*, const void*, void*, Landing,
                      Stream) {
  throw std::logic_error("a device was asked for in a build without CUDA");
}

}  // namespace rowhalo

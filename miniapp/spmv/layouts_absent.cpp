// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions of layouts on a GPU (layouts.cu) of a build without CUDA.
#include <stdexcept>

#include "miniapp/spmv/layouts.hpp"

namespace rowhalo {

void convert_layout_on_device(std::int64_t, const ConstVectorsView&, const VectorsView&, Stream) {
  throw std::logic_error("a device was asked for in a build without CUDA");
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The waiting kernel (delay.cu) of a build without CUDA.
#include <stdexcept>

#include "miniapp/bench/baselines/delay.hpp"

namespace rowhalo {

void delay_on_device(std::uint64_t*, std::uint64_t, std::uint64_t, Stream) {
  throw std::logic_error("a device was asked for in a build without CUDA");
}

}  // namespace rowhalo

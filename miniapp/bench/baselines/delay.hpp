// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel behind the delays of disturbance.hpp: one thread that waits, by the clock of the
// device.
#pragma once

#include <cstdint>

#include "kernels/spmv_kernel.hpp"
#include "partition/base/hash.hpp"

namespace rowhalo {

/// The delay number `count` of a rank: a function of both alone, below `most`.
constexpr std::uint64_t delay_nanoseconds(std::uint64_t seed, std::uint64_t count,
                                          std::uint64_t most) {
  return mix64(seed, count) % most;
}

/// Waits for delay_nanoseconds(seed, *count, most) in the order of `stream`, and adds one to
/// `*count`, which lies in device memory.
void delay_on_device(std::uint64_t* count, std::uint64_t seed, std::uint64_t most, Stream stream);

}  // namespace rowhalo

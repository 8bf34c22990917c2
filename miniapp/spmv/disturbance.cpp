// SPDX-License-Identifier: BSD-3-Clause
//
// Poison and delays (disturbance.hpp).
#include "miniapp/spmv/disturbance.hpp"

#include <chrono>
#include <cstring>

#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/spmv/delay.hpp"

namespace rowhalo {

namespace {

constexpr int nan_byte = 0xff;  // all bits set is a NaN in every floating-point format

}  // namespace

Disturber::Disturber(const Disturbances& what, Device device, int rank)
    : what_(what), device_(device), seed_(static_cast<std::uint64_t>(rank) + 1) {
  if (what.jitter_seconds == 0 || device == Device::cpu) return;
  delays_gpu_ = DeviceArray<std::uint64_t>(1);
  set_bytes(device, delays_gpu_.data(), 0, sizeof(std::uint64_t));
}

void Disturber::delay(Stream stream) {
  const auto most = static_cast<std::uint64_t>(what_.jitter_seconds * 1e9);
  if (most == 0) return;
  if (device_ == Device::gpu) {
    delay_on_device(delays_gpu_.data(), seed_, most, stream);
    return;
  }
  using clock = std::chrono::steady_clock;
  const std::chrono::nanoseconds wanted(delay_nanoseconds(seed_, delays_++, most));
  const clock::time_point start = clock::now();
  while (clock::now() - start < wanted) {
  }
}

void Disturber::ghosts_used(const HaloVector& x, Stream stream) const {
  if (!what_.poison || x.ghosts == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(x.ghosts) * x.element_bytes;
  if (device_ == Device::gpu) {
    set_bytes_async(x.ghost_data(), nan_byte, bytes, stream);
  } else {
    std::memset(x.ghost_data(), nan_byte, bytes);
  }
}

}  // namespace rowhalo

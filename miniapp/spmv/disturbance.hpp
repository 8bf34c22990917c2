// SPDX-License-Identifier: BSD-3-Clause
//
// Correctness under fire: ghosts that are NaN from the moment they have been used until the next
// exchange brings new ones, and ranks that are late by a pseudo-random time, another in every
// product. A transport that forgets an entry, or one whose order holds only by luck, is then seen.
// Works in the order of a stream and fits into CUDA graphs: what differs from product to product is
// counted in device memory.
#pragma once

#include <cstdint>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/halo_vector.hpp"

namespace rowhalo {

struct Disturbances {
  bool poison = false;        ///< ghosts become NaN after use
  double jitter_seconds = 0;  ///< longest delay

  bool any() const { return poison || jitter_seconds > 0; }
};

class Disturber {
 public:
  /// `rank` makes the delays of ranks differ.
  Disturber(const Disturbances& what, Device device, int rank);

  /// Holds up what comes next on `stream` (on the CPU: the caller) for less than jitter_seconds.
  void delay(Stream stream);
  /// Poisons the ghosts of `x`, which the boundary rows have just read. Not earlier: a neighbour
  /// may store the ghosts of the next exchange as soon as it knows that these have been read.
  void ghosts_used(const HaloVector& x, Stream stream) const;

 private:
  Disturbances what_;
  Device device_;
  std::uint64_t seed_;
  std::uint64_t delays_ = 0;               ///< so far, on the CPU
  DeviceArray<std::uint64_t> delays_gpu_;  ///< one number
};

}  // namespace rowhalo

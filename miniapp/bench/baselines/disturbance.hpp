// SPDX-License-Identifier: BSD-3-Clause
//
// Correctness under fire, a decorator around an exchange: ghosts that are NaN from the moment they
// have been used until the next exchange brings new ones, and ranks that are late by a
// pseudo-random time, another in every product. A transport that forgets an entry, or one whose
// order holds only by luck, is then seen. Works in the order of a stream and fits into CUDA graphs:
// what differs from product to product is counted in device memory.
#pragma once

#include <memory>

#include "miniapp/halo/halo_exchange.hpp"

namespace rowhalo {

struct Disturbances {
  bool poison = false;        ///< ghosts become NaN after use
  double jitter_seconds = 0;  ///< longest delay

  bool any() const { return poison || jitter_seconds > 0; }
};

/// The same exchange, disturbed: begin() poisons the ghosts that came last, then begin() and
/// finish() are late, each by less than jitter_seconds (on the CPU: the caller waits). `rank` makes
/// the delays of ranks differ. The exchange itself where nothing is asked for.
std::unique_ptr<HaloExchange> disturbed(std::unique_ptr<HaloExchange> halo,
                                        const Disturbances& what, Device device, int rank);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// HaloExchange: brings the ghosts of a vector up to date. One file per transport in this folder,
// one line each in transports.cpp. Transports move bytes; they know neither precision nor matrix.
#pragma once

#include <optional>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/halo_vector.hpp"
#include "partition/halo_plan.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

class HaloExchange {
 public:
  virtual ~HaloExchange() = default;
  HaloExchange() = default;
  HaloExchange(const HaloExchange&) = delete;
  HaloExchange& operator=(const HaloExchange&) = delete;

  /// Collective. The next vector of the allocation, zeroed. Throws std::logic_error when all of the
  /// vectors that the transport was made for are given out.
  virtual HaloVector make_vector() = 0;

  /// Packs the owned entries that others need and starts the exchange. The owned entries of `x` may
  /// not change, nor its ghosts be read, until finish(x).
  virtual void begin(const HaloVector& x, Stream stream) = 0;

  /// Makes the ghosts of `x` visible on `stream`. Until the next begin() of any vector the caller
  /// may overwrite them; after it their owners may store the next ones at any time.
  virtual void finish(const HaloVector& x, Stream stream) = 0;

  /// begin() and finish() where nothing is to be computed in between.
  virtual void exchange(const HaloVector& x, Stream stream) {
    begin(x, stream);
    finish(x, stream);
  }

  /// What this rank sends to other nodes in one exchange; empty: as the plan says.
  virtual std::optional<NodeTraffic> sent_between_nodes() const { return {}; }

  /// Throws std::runtime_error when the transport has failed beside the host's calls.
  virtual void check() const {}

  /// Collective; frees the vectors. Must be called before the destructor, which is local.
  virtual void close() = 0;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What may stand around an exchange: the orders of other libraries, and disturbances.
//
// The orders, with our kernels and transports, show what an order costs in one run. Both are the
// order `split` (spmv/steps.hpp) with the host on the path of every product:
//
//   petsc-like   pack, wait, send   y = owned columns   finish         y += ghosts
//   hpcg-like    pack, send         y = owned columns   finish, wait   y += ghosts, wait
//                                                       (wait: the host, for the device)
//
//   petsc-like  MatMult of MPIAIJ matrices (PETSc, src/mat/impls/aij/mpi): VecScatterBegin packs,
//               waits for the packing and starts the messages; the diagonal block into y;
//               VecScatterEnd; the off-diagonal block added to y.
//   hpcg-like   ComputeSPMV of NVIDIA's HPCG: pack, the local part of all rows into y, exchange (a
//               group of NCCL), the host waits for what arrives; the external part added to y; the
//               host waits for the product.
//
// No graph can hold them.
//
// Disturbances show that an exchange is correct under fire: ghosts that are NaN from the moment
// they have been used until the next exchange brings new ones, and ranks that are late by a
// pseudo-random time, another in every product. A transport that forgets an entry, or one whose
// order holds only by luck, is then seen. They work in the order of a stream and fit into CUDA
// graphs.
#pragma once

#include <memory>
#include <utility>

#include "miniapp/tune/products.hpp"
#include "partition/base/hash.hpp"

namespace rowhalo {

/// An exchange around another one: hands every call on. What stands around changes begin() or
/// finish().
class ExchangeDecorator : public HaloExchange {
 public:
  explicit ExchangeDecorator(std::unique_ptr<HaloExchange> inner) : inner_(std::move(inner)) {}

  HaloVector make_vector() override { return inner_->make_vector(); }
  void begin(const HaloVector& x, Stream stream) override { inner_->begin(x, stream); }
  void finish(const HaloVector& x, Stream stream) override { inner_->finish(x, stream); }
  std::optional<NodeTraffic> sent_between_nodes() const override {
    return inner_->sent_between_nodes();
  }
  void check() const override { inner_->check(); }
  void close() override { inner_->close(); }

 protected:
  const std::unique_ptr<HaloExchange> inner_;
};

struct Disturbances {
  bool poison = false;        ///< ghosts become NaN after use
  double jitter_seconds = 0;  ///< longest delay

  bool any() const { return poison || jitter_seconds > 0; }
};

/// The delay number `count` of a rank: a function of both alone, below `most`.
constexpr std::uint64_t delay_nanoseconds(std::uint64_t seed, std::uint64_t count,
                                          std::uint64_t most) {
  return mix64(seed, count) % most;
}

/// The same exchange, disturbed: begin() poisons the ghosts that came last, then begin() and
/// finish() are late, each by less than jitter_seconds (on the CPU the caller waits, on a GPU its
/// stream does, for a function on the host). `rank` makes the delays of ranks differ. The exchange
/// itself where nothing is asked for.
std::unique_ptr<HaloExchange> disturbed(std::unique_ptr<HaloExchange> halo,
                                        const Disturbances& what, Device device, int rank);

/// Products in the order of `schedule`, whose exchange is disturbed by `what`, on `device` as this
/// `rank`. Where the exchange waits for the packing is up to the transport
/// (TransportContext::wait_for_packing).
ProductHooks hooks_of(Schedule schedule, const Disturbances& what, Device device, int rank);

}  // namespace rowhalo

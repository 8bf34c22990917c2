// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges that the host waits for, poison and delays (baselines.hpp).
#include "miniapp/bench/baselines/baselines.hpp"

#include <cstring>

namespace rowhalo {

namespace {

constexpr int nan_byte = 0xff;  // all bits set is a NaN in every floating-point format

/// Ghosts arrive on a stream that the host waits for.
class AwaitedExchange final : public ExchangeDecorator {
 public:
  using ExchangeDecorator::ExchangeDecorator;

  void finish(const HaloVector& x, Stream) override {
    inner_->finish(x, arrival_.stream());
    arrival_.synchronize();
  }

 private:
  StreamHandle arrival_;
};

class DisturbedExchange final : public ExchangeDecorator {
 public:
  DisturbedExchange(std::unique_ptr<HaloExchange> halo, const Disturbances& what, Device device,
                    int rank)
      : ExchangeDecorator(std::move(halo)),
        what_(what),
        device_(device),
        seed_(static_cast<std::uint64_t>(rank) + 1) {}

  void begin(const HaloVector& x, Stream stream) override {
    prepare(x, stream);
    inner_->begin(x, stream);
  }
  void finish(const HaloVector& x, Stream stream) override {
    delay(stream);
    inner_->finish(x, stream);
  }
  void exchange(const HaloVector& x, Stream stream) override {
    prepare(x, stream);
    inner_->exchange(x, stream);
    delay(stream);
  }

 private:
  /// What came last has been read, and no neighbour stores new ghosts there before this rank's next
  /// exchange: now is the time to poison it.
  void prepare(const HaloVector& x, Stream stream) {
    if (what_.poison) poison(last_, stream);
    last_ = x;
    delay(stream);
  }

  void poison(const HaloVector& x, Stream stream) const {
    if (x.ghosts == 0) return;
    const std::size_t bytes = static_cast<std::size_t>(x.ghosts) * x.element_bytes();
    if (device_ == Device::gpu) {
      set_bytes_async(x.ghost_data(), nan_byte, bytes, stream);
    } else {
      std::memset(x.ghost_data(), nan_byte, bytes);
    }
  }

  void delay(Stream stream) {
    if (what_.jitter_seconds < 1e-9) return;
    const auto wait = [](void* self) { static_cast<DisturbedExchange*>(self)->wait(); };
    if (device_ == Device::gpu) {
      call_in_stream(stream, wait, this);
    } else {
      wait(this);
    }
  }

  void wait() {
    const double start = now_seconds();
    const auto most = static_cast<std::uint64_t>(what_.jitter_seconds * 1e9);
    const double wanted = 1e-9 * static_cast<double>(delay_nanoseconds(seed_, delays_++, most));
    while (now_seconds() - start < wanted) {
    }
  }

  Disturbances what_;
  Device device_;
  std::uint64_t seed_;
  std::uint64_t delays_ = 0;  ///< so far, those of replayed graphs included
  HaloVector last_;           ///< exchanged last; without ghosts: none
};

}  // namespace

std::unique_ptr<HaloExchange> disturbed(std::unique_ptr<HaloExchange> halo,
                                        const Disturbances& what, Device device, int rank) {
  if (!what.any()) return halo;
  return std::make_unique<DisturbedExchange>(std::move(halo), what, device, rank);
}

ProductHooks hooks_of(Schedule schedule, const Disturbances& what, Device device, int rank) {
  ProductHooks hooks;
  const bool host_waits = schedule == Schedule::hpcg_like && device == Device::gpu;
  hooks.exchange = [=](std::unique_ptr<HaloExchange> halo) {
    if (host_waits) halo = std::make_unique<AwaitedExchange>(std::move(halo));
    return disturbed(std::move(halo), what, device, rank);
  };
  if (host_waits) hooks.after = [](Stream stream) { synchronize(stream); };
  hooks.ghosts_stay = !what.poison;
  return hooks;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Poison and delays (disturbance.hpp).
#include "miniapp/bench/baselines/disturbance.hpp"

#include <chrono>
#include <cstring>

#include "miniapp/bench/baselines/delay.hpp"
#include "miniapp/bench/baselines/exchange_decorator.hpp"
#include "miniapp/halo/memory/memory.hpp"

namespace rowhalo {

namespace {

constexpr int nan_byte = 0xff;  // all bits set is a NaN in every floating-point format

class DisturbedExchange final : public ExchangeDecorator {
 public:
  DisturbedExchange(std::unique_ptr<HaloExchange> halo, const Disturbances& what, Device device,
                    int rank)
      : ExchangeDecorator(std::move(halo)),
        what_(what),
        device_(device),
        seed_(static_cast<std::uint64_t>(rank) + 1) {
    if (what.jitter_seconds == 0 || device == Device::cpu) return;
    delays_gpu_ = DeviceArray<std::uint64_t>(1);
    set_bytes(device, delays_gpu_.data(), 0, sizeof(std::uint64_t));
  }

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

  Disturbances what_;
  Device device_;
  std::uint64_t seed_;
  std::uint64_t delays_ = 0;               ///< so far, on the CPU
  DeviceArray<std::uint64_t> delays_gpu_;  ///< one number
  HaloVector last_;                        ///< exchanged last; without ghosts: none
};

}  // namespace

std::unique_ptr<HaloExchange> disturbed(std::unique_ptr<HaloExchange> halo,
                                        const Disturbances& what, Device device, int rank) {
  if (!what.any()) return halo;
  return std::make_unique<DisturbedExchange>(std::move(halo), what, device, rank);
}

}  // namespace rowhalo

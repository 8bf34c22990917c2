// SPDX-License-Identifier: BSD-3-Clause
//
// Exchange of the baselines, and where the host waits (baselines.hpp).
#include "miniapp/bench/baselines/baselines.hpp"

#include "miniapp/bench/baselines/exchange_decorator.hpp"

namespace rowhalo {

namespace {

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

}  // namespace

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

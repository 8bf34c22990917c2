// SPDX-License-Identifier: BSD-3-Clause
//
// Exchange and order of the baselines (baselines.hpp).
#include "miniapp/bench/baselines/baselines.hpp"

#include "miniapp/bench/baselines/exchange_decorator.hpp"

namespace rowhalo {

namespace {

/// Ghosts arrive on a stream that the host waits for.
class AwaitedExchange final : public ExchangeDecorator {
 public:
  explicit AwaitedExchange(std::unique_ptr<HaloExchange> halo)
      : ExchangeDecorator(*halo), halo_(std::move(halo)) {}

  void finish(const HaloVector& x, Stream) override {
    inner_.finish(x, arrival_.stream());
    arrival_.synchronize();
  }

 private:
  std::unique_ptr<HaloExchange> halo_;
  StreamHandle arrival_;
};

}  // namespace

std::unique_ptr<const LoadedColumns> columns_for(Schedule schedule, const LocalMatrix& matrix,
                                                 Precision precision, Device device,
                                                 bool value_codes) {
  if (order_of(schedule) != Order::split) return nullptr;
  return std::make_unique<LoadedColumns>(matrix, precision, device, value_codes);
}

std::unique_ptr<HaloExchange> exchange_for(Schedule schedule, Device device,
                                           std::unique_ptr<HaloExchange> halo) {
  if (schedule != Schedule::hpcg_like || device == Device::cpu) return halo;
  return std::make_unique<AwaitedExchange>(std::move(halo));
}

void apply_scheduled(Schedule schedule, const Operator& op, const Product& product, Stream stream,
                     const StepHook* after) {
  if (after != nullptr) {
    op.apply(product, stream, *after);
  } else {
    op.apply(product, stream);
  }
  if (schedule == Schedule::hpcg_like && product.x.device == Device::gpu) synchronize(stream);
}

}  // namespace rowhalo

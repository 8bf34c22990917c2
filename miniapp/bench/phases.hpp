// SPDX-License-Identifier: BSD-3-Clause
//
// The phases of a product, told by decorators around its kernels and its exchange: the operator
// knows nothing of them. They come one after the other, boundary rows in the product's own stream.
#pragma once

#include <functional>

#include "miniapp/bench/baselines/exchange_decorator.hpp"
#include "miniapp/spmv/local_kernels.hpp"

namespace rowhalo {

/// In the order of overlap. With partial sums, computing them counts as packing and adding those
/// that came as boundary rows.
enum class Phase { pack, interior, exchange, boundary };
/// How often a product tells one: three times `pack`, twice `exchange` and `boundary`.
inline constexpr int most_phases_told = 8;
const char* name_of(Phase phase);

/// Called when what belongs to a phase has been put in.
using PhaseObserver = std::function<void(Phase)>;

/// The same kernels, each followed by `after`. Both arguments outlive the result.
LocalKernels observed(const LocalKernels& kernels, const PhaseObserver& after);

/// The same exchange, begin() and finish() each followed by `after`.
class ObservedExchange final : public ExchangeDecorator {
 public:
  ObservedExchange(HaloExchange& inner, const PhaseObserver& after)
      : ExchangeDecorator(inner), after_(after) {}
  void begin(const HaloVector& x, Stream stream) override {
    inner_.begin(x, stream);
    after_(Phase::pack);
  }
  void finish(const HaloVector& x, Stream stream) override {
    inner_.finish(x, stream);
    after_(Phase::exchange);
  }

 private:
  const PhaseObserver& after_;
};

}  // namespace rowhalo

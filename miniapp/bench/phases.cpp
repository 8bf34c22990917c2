// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels that tell their phase (phases.hpp).
#include "miniapp/bench/phases.hpp"

namespace rowhalo {

namespace {

class ObservedKernel final : public SpmvKernel {
 public:
  ObservedKernel(const SpmvKernel& kernel, Phase phase, const PhaseObserver& after)
      : kernel_(kernel), phase_(phase), after_(after) {}

  void apply(double alpha, const void* x, double beta, void* y, Stream stream) const override {
    kernel_.apply(alpha, x, beta, y, stream);
    after_(phase_);
  }
  KernelWork work() const override { return kernel_.work(); }

 private:
  const SpmvKernel& kernel_;
  Phase phase_;
  const PhaseObserver& after_;
};

}  // namespace

const char* name_of(Phase phase) {
  constexpr const char* names[] = {"pack", "interior", "exchange", "boundary"};
  return names[static_cast<int>(phase)];
}

LocalKernels observed(const LocalKernels& kernels, const PhaseObserver& after) {
  LocalKernels result;
  result.order = kernels.order;
  if (kernels.sums) {
    result.sums = std::make_shared<ObservedKernel>(*kernels.sums, Phase::pack, after);
    result.added = std::make_shared<ObservedKernel>(*kernels.added, Phase::boundary, after);
  }
  result.interior = std::make_unique<ObservedKernel>(*kernels.interior, Phase::interior, after);
  if (kernels.boundary) {
    result.boundary = std::make_unique<ObservedKernel>(*kernels.boundary, Phase::boundary, after);
  }
  return result;
}

}  // namespace rowhalo

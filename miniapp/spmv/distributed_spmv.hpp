// SPDX-License-Identifier: BSD-3-Clause
//
// DistributedSpmv: y = alpha*A*x + beta*y over all ranks, by the steps of an order (steps.hpp).
#pragma once

#include <functional>

#include "miniapp/halo/transports.hpp"
#include "miniapp/spmv/local_kernels.hpp"

namespace rowhalo {

/// Called when what belongs to a step has been put in.
using StepHook = std::function<void(Step)>;

class DistributedSpmv {
 public:
  /// All outlive the operator. `sums`: the exchange of products with partial sums.
  DistributedSpmv(const LocalKernels& kernels, HaloExchange& halo, HaloExchange* sums = nullptr)
      : kernels_(kernels), halo_(halo), sums_(sums) {}

  /// One product; the ghosts of `x` are brought up to date. `x` is a vector of the transport; y has
  /// one entry per owned row; both in the precision of the kernels and the memory of their device.
  /// On a GPU all work goes to `stream`, or follows it.
  void apply(const Product& product, Stream stream) const;
  /// The same with y of the type of x.
  void apply(double alpha, const HaloVector& x, double beta, void* y, Stream stream) const {
    apply({alpha, x, beta, {y, x.type}}, stream);
  }
  /// A product, one step after the other in `stream`.
  void apply(const Product& product, Stream stream, const StepHook& after) const;
  /// The same for the steps of another list, each of which the kernels must serve.
  void apply(std::span<const PlacedStep> steps, const Product& product, Stream stream,
             const StepHook& after) const;

 private:
  const LocalKernels& kernels_;
  HaloExchange& halo_;
  HaloExchange* sums_;
};

/// The steps of a product with these kernels, for reports.
std::vector<std::string> step_names(const LocalKernels& kernels);

/// One product on this rank alone: the ghosts of `x` and sums are taken as they are.
void apply_local(const LocalKernels& kernels, const Product& product, Stream stream);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// DistributedSpmv: y = alpha*A*x + beta*y over all ranks. The only place where the order of a
// product stands.
#pragma once

#include "miniapp/halo/transports.hpp"
#include "miniapp/spmv/local_kernels.hpp"

namespace rowhalo {

class DistributedSpmv {
 public:
  /// All outlive the operator. `sums`: the exchange of products with partial sums.
  DistributedSpmv(const LocalKernels& kernels, HaloExchange& halo, HaloExchange* sums = nullptr)
      : kernels_(kernels), halo_(halo), sums_(sums) {}

  /// One product; the ghosts of `x` are brought up to date. `x` is a vector of the transport; y has
  /// one entry per owned row; both in the precision of the kernels and the memory of their device.
  /// On a GPU all work goes to `stream`, or follows it.
  void apply(const Product& product, Stream stream) const;
  void apply(double alpha, const HaloVector& x, double beta, void* y, Stream stream) const {
    apply({alpha, x, beta, y}, stream);
  }

 private:
  void overlap(const Product& product, Stream stream) const;
  void split(const Product& product, Stream stream) const;
  void blocking(const Product& product, Stream stream) const;
  void begin(const Product& product, Stream stream) const;
  void begin_beside(const Product& product, Stream stream, Stream side) const;
  void finish_sums(const Product& product, Stream stream) const;

  const LocalKernels& kernels_;
  HaloExchange& halo_;
  HaloExchange* sums_;
};

}  // namespace rowhalo

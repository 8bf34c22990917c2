// SPDX-License-Identifier: BSD-3-Clause
//
// The orders of a distributed product (distributed_spmv.hpp).
#include "miniapp/spmv/distributed_spmv.hpp"

#include "miniapp/spmv/profiler_range.hpp"

namespace rowhalo {

void DistributedSpmv::apply(double alpha, const HaloVector& x, double beta, void* y,
                            Stream stream) const {
  switch (kernels_.order) {
    case Order::overlap:
      return overlap(alpha, x, beta, y, stream);
    case Order::split:
      return split(alpha, x, beta, y, stream);
    case Order::blocking:
      return blocking(alpha, x, beta, y, stream);
  }
}

void DistributedSpmv::overlap(double alpha, const HaloVector& x, double beta, void* y,
                              Stream stream) const {
  const SideStream* side = kernels_.side.get();
  ProfilerRange range("pack");
  halo_.begin(x, stream);
  const Stream edge = side != nullptr ? side->fork(stream) : stream;
  range.next("interior");
  kernels_.interior->apply(alpha, x.data, beta, y, stream);
  range.next("exchange");  // after interior rows, because it may hold up the host
  halo_.finish(x, edge);
  range.next("boundary");
  kernels_.boundary->apply(alpha, x.data, beta, y, edge);
  if (side != nullptr) side->join(stream);
}

void DistributedSpmv::split(double alpha, const HaloVector& x, double beta, void* y,
                            Stream stream) const {
  ProfilerRange range("pack");
  halo_.begin(x, stream);
  range.next("owned columns");
  kernels_.interior->apply(alpha, x.data, beta, y, stream);
  range.next("exchange");
  halo_.finish(x, stream);
  range.next("ghosts");
  kernels_.boundary->apply(alpha, x.data, 1, y, stream);
}

void DistributedSpmv::blocking(double alpha, const HaloVector& x, double beta, void* y,
                               Stream stream) const {
  ProfilerRange range("exchange");
  halo_.exchange(x, stream);
  range.next("interior");
  kernels_.interior->apply(alpha, x.data, beta, y, stream);
}

}  // namespace rowhalo

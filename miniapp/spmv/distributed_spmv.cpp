// SPDX-License-Identifier: BSD-3-Clause
//
// The orders of a distributed product (distributed_spmv.hpp).
#include "miniapp/spmv/distributed_spmv.hpp"

#include "miniapp/spmv/profiler_range.hpp"

namespace rowhalo {

void DistributedSpmv::apply(const Product& product, Stream stream) const {
  compute_sums(kernels_, product, stream);
  switch (kernels_.order) {
    case Order::overlap:
      return overlap(product, stream);
    case Order::split:
      return split(product, stream);
    case Order::blocking:
      return blocking(product, stream);
  }
}

void DistributedSpmv::overlap(const Product& product, Stream stream) const {
  const SideStream* side = kernels_.side.get();
  ProfilerRange range("pack");
  halo_.begin(product.x, stream);
  const Stream edge = side != nullptr ? side->fork(stream) : stream;
  range.next("interior");
  multiply_interior(kernels_, product, stream);
  range.next("exchange");  // after interior rows, because it may hold up the host
  halo_.finish(product.x, edge);
  range.next("boundary");
  multiply_boundary(kernels_, product, edge);
  if (side != nullptr) side->join(stream);
}

void DistributedSpmv::split(const Product& product, Stream stream) const {
  ProfilerRange range("pack");
  halo_.begin(product.x, stream);
  range.next("owned columns");
  multiply_interior(kernels_, product, stream);
  range.next("exchange");
  halo_.finish(product.x, stream);
  range.next("ghosts");
  multiply_boundary(kernels_, {product.alpha, product.x, 1, product.y}, stream);
}

void DistributedSpmv::blocking(const Product& product, Stream stream) const {
  ProfilerRange range("exchange");
  halo_.exchange(product.x, stream);
  range.next("interior");
  multiply_interior(kernels_, product, stream);
}

}  // namespace rowhalo

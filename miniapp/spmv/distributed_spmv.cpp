// SPDX-License-Identifier: BSD-3-Clause
//
// The orders of a distributed product (distributed_spmv.hpp).
#include "miniapp/spmv/distributed_spmv.hpp"

#include "miniapp/spmv/profiler_range.hpp"

namespace rowhalo {

void DistributedSpmv::apply(const Product& product, Stream stream) const {
  switch (kernels_.order) {
    case Order::overlap:
      overlap(product, stream);
      break;
    case Order::split:
      split(product, stream);
      break;
    case Order::blocking:
      blocking(product, stream);
      break;
  }
  if (product.sums != nullptr) finish_sums(product, stream);
}

/// Entries of x travel while sums are computed, sums while rows are multiplied.
void DistributedSpmv::begin(const Product& product, Stream stream) const {
  halo_.begin(product.x, stream);
  if (product.sums == nullptr) return;
  compute_sums(kernels_, product, stream);
  sums_->begin(*product.sums, stream);
}

/// The same, with the sums in `side`. Their kernel is the first to ask for multiprocessors: with
/// the exchange before it rmat:22 took 3 % longer on 4 H100s.
void DistributedSpmv::begin_beside(const Product& product, Stream stream, Stream side) const {
  compute_sums(kernels_, product, side);
  halo_.begin(product.x, stream);
  sums_->begin(*product.sums, side);
}

void DistributedSpmv::finish_sums(const Product& product, Stream stream) const {
  const ProfilerRange range("sums");
  sums_->finish(*product.sums, stream);
  add_sums(kernels_, product, stream);
}

void DistributedSpmv::overlap(const Product& product, Stream stream) const {
  const SideStream* side = kernels_.side.get();
  ProfilerRange range("pack");
  begin(product, stream);
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
  begin(product, stream);
  range.next("owned columns");
  multiply_interior(kernels_, product, stream);
  range.next("exchange");
  halo_.finish(product.x, stream);
  range.next("ghosts");
  multiply_boundary(kernels_, {product.alpha, product.x, 1, product.y}, stream);
}

void DistributedSpmv::blocking(const Product& product, Stream stream) const {
  const SideStream* side = product.sums != nullptr ? kernels_.side.get() : nullptr;
  ProfilerRange range("exchange");
  if (product.sums == nullptr) {
    halo_.exchange(product.x, stream);
  } else {
    if (side == nullptr) {
      begin(product, stream);
    } else {
      begin_beside(product, stream, side->fork(stream));
    }
    halo_.finish(product.x, stream);
  }
  range.next("interior");
  multiply_interior(kernels_, product, stream);
  if (side != nullptr) side->join(stream);
}

}  // namespace rowhalo

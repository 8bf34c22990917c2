// SPDX-License-Identifier: BSD-3-Clause
//
// Products in a row, one by one or as a CUDA graph of several that is replayed: then many products
// cost the host one launch. The graph holds the very calls that the single products make.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/gpu/runtime.hpp"

namespace rowhalo {

class ProductSequence {
 public:
  using Product = std::function<void(std::int64_t k)>;

  /// Products k = 0, 1, 2, ... one by one.
  explicit ProductSequence(Product product) : product_(std::move(product)) {}
  /// Runs two products (libraries connect at first use, which cannot be captured), then captures
  /// `step` of them, an even number since vectors alternate.
  ProductSequence(Product product, Stream stream, int step);

  /// run() takes multiples of this.
  int step() const { return step_; }
  /// Starts the next `count` products.
  void run(std::int64_t count);

 private:
  Product product_;
  Stream stream_{};
  int step_ = 1;
  std::int64_t next_ = 0;
  GraphExec graph_;
};

}  // namespace rowhalo

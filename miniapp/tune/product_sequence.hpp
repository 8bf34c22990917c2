// SPDX-License-Identifier: BSD-3-Clause
//
// Products in a row, one by one or as a CUDA graph of several that is replayed: then many products
// cost the host one launch. The graph holds the very calls that the single products make. Whoever
// waits for products asks check() meanwhile, so that a failed exchange is an error and no hang.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/gpu/device/runtime.hpp"

namespace rowhalo {

class ProductSequence {
 public:
  using Product = std::function<void(std::int64_t k)>;
  /// Throws when what the products rely on has failed beside the host's calls.
  using Check = std::function<void()>;

  /// Products k = 0, 1, 2, ... one by one.
  explicit ProductSequence(
      Product product, Check check = [] {})
      : product_(std::move(product)), check_(std::move(check)) {}
  /// Runs two products (libraries connect at first use, which cannot be captured), then captures
  /// `step` of them, an even number since vectors alternate; 1: one by one, as above.
  ProductSequence(
      Product product, Stream stream, int step, Check check = [] {});

  /// run() takes multiples of this.
  int step() const { return step_; }
  /// Starts the next `count` products.
  void run(std::int64_t count);
  void check() const { check_(); }
  /// Of one product, as it last took() on the slowest rank; 0: not known.
  double seconds() const { return seconds_; }
  /// The same on all ranks.
  void took(double seconds) { seconds_ = seconds; }
  /// Whether the graph holds `step()` products: that many times the kernels of one, as two that are
  /// captured by themselves have them. True without a graph.
  bool is_whole() const;

 private:
  Product product_;
  Check check_;
  Stream stream_{};
  int step_ = 1;
  std::int64_t next_ = 0;
  double seconds_ = 0;
  GraphExec graph_;
};

}  // namespace rowhalo

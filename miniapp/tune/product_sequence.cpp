// SPDX-License-Identifier: BSD-3-Clause
//
// Products one by one or from a graph (product_sequence.hpp).
#include "miniapp/tune/product_sequence.hpp"

#include <stdexcept>

namespace rowhalo {

ProductSequence::ProductSequence(Product product, Stream stream, int step, Check check)
    : product_(std::move(product)), check_(std::move(check)), stream_(stream), step_(step) {
  if (step == 1) return;
  if (step % 2 != 0) throw std::logic_error("a graph holds an even number of products");
  for (int k = 0; k < 2; ++k) product_(k);
  synchronize_device();
  graph_ = GraphExec(stream, [&] {
    for (int k = 0; k < step_; ++k) product_(k);
  });
}

bool ProductSequence::is_whole() const {
  if (!graph_) return true;
  const GraphExec pair(stream_, [&] {
    product_(0);
    product_(1);
  });
  return 2 * graph_.kernels() == step_ * pair.kernels();
}

void ProductSequence::run(std::int64_t count) {
  if (count % step_ != 0) throw std::logic_error("products come in whole graphs");
  for (std::int64_t k = 0; k < count; k += step_) {
    if (graph_) {
      graph_.launch(stream_);
    } else {
      product_(next_++);
    }
  }
}

}  // namespace rowhalo

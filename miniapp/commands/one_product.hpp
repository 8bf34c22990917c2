// SPDX-License-Identifier: BSD-3-Clause
//
// A product of all rows of one rank, apart from any exchange: what `kernels` and `network` time.
#pragma once

#include <vector>

#include "miniapp/commands/experiment.hpp"
#include "miniapp/spmv/operator.hpp"

namespace rowhalo {

/// x and y in the memory of the device, and one product of all rows.
class OneProduct {
 public:
  OneProduct(const Experiment& e, const LocalKernels& kernels)
      : e_(e),
        operator_(kernels),
        x_(e.site.device, e.stored_x.size()),
        y_(e.site.device, e.stored_y0.size()) {
    copy_between(e.site.device, x_.data(), e.stored_x.data(), e.stored_x.size());
    vector_.data = x_.data();
    vector_.type = vector_type(e.options.precision);
    reset();
  }

  void reset() {
    const std::vector<std::byte>& y0 = e_.stored_y0;
    copy_between(e_.site.device, y_.data(), y0.data(), y0.size());
  }
  void apply() {
    operator_.apply_alone({e_.options.alpha, vector_, e_.options.beta, {y_.data(), vector_.type}},
                          e_.machine.stream());
  }
  /// `y`: of this rank's size.
  void copy_y(std::vector<std::byte>& y) const {
    if (e_.site.device == Device::gpu) synchronize_device();
    copy_between(e_.site.device, y.data(), y_.data(), y.size());
  }

 private:
  const Experiment& e_;
  Operator operator_;
  VectorMemory x_, y_;
  HaloVector vector_;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// A product of all rows of one rank, apart from any exchange: what `kernels` and `network` time.
#pragma once

#include <vector>

#include "miniapp/commands/experiment.hpp"
#include "miniapp/spmv/layouts.hpp"
#include "miniapp/spmv/operator.hpp"

namespace rowhalo {

/// x and y in the memory of the device, and one product of all rows. Several vectors are in the
/// layout of --layout; where kernels have the other one, a product converts them.
class OneProduct {
 public:
  OneProduct(const Experiment& e, const LocalKernels& kernels)
      : e_(e),
        operator_(kernels),
        x_(e.site.device, e.stored_x.size()),
        y_(e.site.device, e.stored_y0.size()) {
    vector_.data = x_.data();
    vector_.owned = e.matrix.local_columns();
    vector_.type = vector_type(e.options.precision);
    vector_.device = e.site.device;
    vector_.vectors = e.options.vectors;
    vector_.layout = kernels.layout();
    vector_.stride_bytes = e.stored_x.size() / vector_.vectors;
    if (vector_.layout != e.options.layout && vector_.vectors > 1) {
      other_x_ = VectorMemory(e.site.device, x_.bytes());
      other_y_ = VectorMemory(e.site.device, y_.bytes());
      other_ = {{other_x_.data(), shape(e.options.layout, columns())},
                {other_y_.data(), shape(e.options.layout, rows())}};
    } else {
      other_ = {{x_.data(), shape(vector_.layout, columns())},
                {y_.data(), shape(vector_.layout, rows())}};
    }
    put_vectors(e.site.device, columns(), on_host(e.stored_x.data(), columns()),
                {x_of_caller(), other_.x.shape});
    reset();
  }

  void reset() {
    put_vectors(e_.site.device, rows(), on_host(e_.stored_y0.data(), rows()), other_.y);
  }
  void apply() {
    const bool converts = other_y_.data() != nullptr;
    operator_.apply_alone({e_.options.alpha,
                           vector_,
                           e_.options.beta,
                           {y_.data(), vector_.type},
                           nullptr,
                           converts ? &other_ : nullptr},
                          e_.machine.stream());
  }
  /// `y`: of this rank's size; several vectors one after the other.
  void copy_y(std::vector<std::byte>& y) const {
    if (e_.site.device == Device::gpu) synchronize_device();
    get_vectors(e_.site.device, rows(), other_.y, {y.data(), shape(Layout::column, rows())});
  }

 private:
  std::int64_t columns() const { return e_.matrix.local_columns(); }
  std::int64_t rows() const { return e_.matrix.owned_rows; }
  VectorsShape shape(Layout layout, std::int64_t entries) const {
    return {vector_.type, vector_.vectors, layout, entries};
  }
  ConstVectorsView on_host(const std::byte* stored, std::int64_t entries) const {
    return {stored, shape(Layout::column, entries)};
  }
  void* x_of_caller() const { return other_x_.data() != nullptr ? other_x_.data() : x_.data(); }

  const Experiment& e_;
  Operator operator_;
  VectorMemory x_, y_, other_x_, other_y_;
  OtherLayout other_{};  ///< the vectors of the caller
  HaloVector vector_;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What trials of formats multiply, on this rank alone: two x in turn, as the run has, since one
// alone may stay in a cache; several vectors in the layout of the kernels, and, where the caller
// has another, converted in every product, as in the run.
#pragma once

#include <optional>

#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/tune/products.hpp"

namespace rowhalo {

class TrialVectors {
 public:
  /// Throws std::bad_alloc.
  explicit TrialVectors(const ProductSetting& setting)
      : setting_(setting),
        x_{memory(setting.x.size()), memory(setting.x.size())},
        y_(memory(bytes_of_y())) {
    for (const int which : {0, 1}) {
      HaloVector& x = vectors_[which];
      x.data = x_[which].data();
      x.owned = setting.matrix.owned_columns;
      x.type = setting.type();
      x.device = setting.site.device;
      x.vectors = setting.x_shape().vectors;
    }
    if (vectors_[0].vectors == 1) return;
    const auto shape = [&](LocalIndex entries) {
      return VectorsShape{setting.type(), setting.x_shape().vectors, setting.layout, entries};
    };
    caller_x_ = memory(setting.x.size());
    caller_y_ = memory(bytes_of_y());
    caller_ = {{caller_x_.data(), shape(setting.matrix.owned_columns)},
               {caller_y_.data(), shape(setting.block.view().rows)}};
  }

  /// Puts in product number k.
  void multiply(const LocalKernels& kernels, std::int64_t k) const {
    HaloVector x = vectors_[k % 2];
    x.layout = kernels.layout();
    x.stride_bytes = setting_.x.size() / x.vectors;
    const bool converts = x.vectors > 1 && x.layout != setting_.layout;
    Operator(kernels).apply_alone(
        {1.0, x, 0.0, {y_.data(), x.type}, nullptr, converts ? &caller_ : nullptr},
        setting_.stream);
  }

 private:
  /// Bits that are an ordinary number in every precision: copying x would take longer than many
  /// products, and zeros would let a GPU run faster than it does.
  VectorMemory memory(std::size_t bytes) const {
    VectorMemory memory(setting_.site.device, bytes);
    set_bytes(setting_.site.device, memory.data(), 0x3f, bytes);
    return memory;
  }
  std::size_t bytes_of_y() const {
    const auto rows = static_cast<std::size_t>(setting_.block.view().rows);
    return rows * setting_.x_shape().vectors * bytes_of(setting_.type());
  }

  const ProductSetting& setting_;
  VectorMemory x_[2], y_, caller_x_, caller_y_;
  OtherLayout caller_{};
  HaloVector vectors_[2];
};

}  // namespace rowhalo

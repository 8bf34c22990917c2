// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors, y and the sequence of products (products.hpp).
#include "miniapp/products.hpp"

#include <algorithm>

namespace rowhalo {

namespace {

std::optional<Disturber> disturber_of(const ProductSetting& setting) {
  if (!setting.disturbances.any()) return {};
  return Disturber(setting.disturbances, setting.site.device, setting.measuring.comm.rank);
}

}  // namespace

int graph_length(double seconds) {
  constexpr double enough_seconds = 300e-6;
  constexpr double most = 200;
  const auto products = static_cast<int>(std::min(enough_seconds / std::max(seconds, 1e-9), most));
  return std::max(products_a_graph, products / 2 * 2);
}

Products::Products(const ProductSetting& setting, const LocalKernels& kernels,
                   const TransportVariant& transport, double alpha, double beta)
    : setting_(setting),
      kernels_(kernels),
      alpha_(alpha),
      beta_(beta),
      halo_(transport.entry->make(
          {setting.plan, setting.element_bytes(), 2, setting.measuring.comm, setting.site})),
      disturber_(disturber_of(setting)),
      spmv_(kernels, *halo_, setting.site.device, disturber_ ? &*disturber_ : nullptr),
      y_(setting.site.device, static_cast<std::size_t>(kernels.rows) * setting.element_bytes()) {
  for (HaloVector& vector : vectors_) {
    vector = halo_->make_vector();
    copy_between(vector.device, vector.data, setting.x.data(),
                 static_cast<std::size_t>(vector.owned) * vector.element_bytes);
  }
  spoil_ghosts();
  const auto product = [this](std::int64_t k) {
    spmv_.apply(alpha_, vectors_[k % 2], beta_, y_.data(), setting_.stream);
  };
  if (transport.graph) {
    sequence_.emplace(product, setting.stream, products_a_graph);
    sequence_->run(products_a_graph);
    const int length = graph_length(time_batch(setting.measuring, products_a_graph, *sequence_));
    if (length > products_a_graph) sequence_.emplace(product, setting.stream, length);
  } else {
    sequence_.emplace(product);
  }
}

ProductSequence Products::local_sequence() {
  const auto product = [this](std::int64_t k) {
    apply_local(kernels_, alpha_, vectors_[k % 2], beta_, y_.data(), setting_.stream);
  };
  return sequence_->step() > 1 ? ProductSequence(product, setting_.stream, sequence_->step())
                               : ProductSequence(product);
}

void Products::apply_once() {
  spmv_.apply(alpha_, vectors_[single_++ % 2], beta_, y_.data(), setting_.stream);
}

void Products::apply_once(const std::function<void(Phase)>& after) {
  spmv_.apply(alpha_, vectors_[single_++ % 2], beta_, y_.data(), setting_.stream, after);
}

void Products::spoil_ghosts() {
  for (const HaloVector& vector : vectors_) {
    // All bits set is a NaN in every floating-point format.
    set_bytes(vector.device, vector.ghost_data(), 0xff,
              static_cast<std::size_t>(vector.ghosts) * vector.element_bytes);
  }
  // A neighbour that went on alone might store the ghosts of the next product before this.
  ROWHALO_MPI(MPI_Barrier(setting_.measuring.comm.handle));
}

std::vector<std::byte> Products::y() const {
  std::vector<std::byte> y(static_cast<std::size_t>(kernels_.rows) * setting_.element_bytes());
  if (setting_.site.device == Device::gpu) synchronize_device();
  copy_between(setting_.site.device, y.data(), y_.data(), y.size());
  return y;
}

void Products::set_y(const std::vector<std::byte>& y) {
  copy_between(setting_.site.device, y_.data(), y.data(), y.size());
}

void Products::close() {
  sequence_.reset();
  halo_->close();
}

}  // namespace rowhalo

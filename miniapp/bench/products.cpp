// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors, y and the sequence of products (products.hpp).
#include "miniapp/bench/products.hpp"

#include <algorithm>

#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

/// Collective.
VectorMemory memory_of_y(const ProductSetting& setting, const LocalKernels& kernels) {
  VectorMemory y;
  take_resources(setting.measuring.comm, "y", [&] {
    y = VectorMemory(setting.site.device,
                     static_cast<std::size_t>(kernels.rows) * setting.element_bytes());
  });
  return y;
}

/// The owned entries while products are timed: half of the user's.
std::vector<std::byte> timed_x(const ProductSetting& setting) {
  const NumberType type = vector_type(setting.block.view().precision);
  std::vector<double> half(static_cast<std::size_t>(setting.plan.owned));
#pragma omp parallel for schedule(static)
  for (LocalIndex k = 0; k < setting.plan.owned; ++k) half[k] = load(type, setting.x.data(), k) / 2;
  std::vector<std::byte> bytes(half.size() * setting.element_bytes());
  store(type, half.data(), std::ssize(half), bytes.data());
  return bytes;
}

/// Collective. The transport's exchange with what the schedule and disturbances add.
std::unique_ptr<HaloExchange> make_exchange(const ProductSetting& setting,
                                            const TransportEntry& transport) {
  const Comm& comm = setting.measuring.comm;
  const Device device = setting.site.device;
  TransportContext context{setting.plan, setting.element_bytes(), 2, comm, setting.site};
  context.wait_for_packing = setting.schedule == Schedule::petsc_like;
  return disturbed(exchange_for(setting.schedule, device, transport.make(context)),
                   setting.disturbances, device, comm.rank);
}

}  // namespace

int graph_length(double seconds) {
  constexpr double enough_seconds = 300e-6;
  constexpr double most = 200;
  const auto products = static_cast<int>(std::min(enough_seconds / std::max(seconds, 1e-9), most));
  return std::max(products_per_graph, products / 2 * 2);
}

Products::Products(const ProductSetting& setting, const LocalKernels& kernels,
                   const TransportVariant& transport, double alpha, double beta)
    : setting_(setting),
      kernels_(kernels),
      alpha_(alpha),
      beta_(beta),
      y_(memory_of_y(setting, kernels)),
      halo_(make_exchange(setting, *transport.entry)) {
  for (HaloVector& vector : vectors_) vector = halo_->make_vector();
  set_x(timed_x(setting).data());
  spoil_ghosts();
  const auto product = [this](std::int64_t k) { apply(vectors_[k % 2]); };
  const auto check = [this] { halo_->check(); };
  if (transport.graph) {
    sequence_.emplace(product, setting.stream, products_per_graph, check);
    sequence_->run(products_per_graph);
    const int length = graph_length(time_batch(setting.measuring, products_per_graph, *sequence_));
    if (length > products_per_graph) sequence_.emplace(product, setting.stream, length, check);
  } else {
    sequence_.emplace(product, check);
  }
}

void Products::apply(const HaloVector& x) const {
  apply_scheduled(setting_.schedule, kernels_, *halo_, alpha_, x, beta_, y_.data(),
                  setting_.stream);
}

ProductSequence Products::local_sequence() {
  const auto product = [this](std::int64_t k) {
    apply_local(kernels_, {alpha_, vectors_[k % 2], beta_, y_.data()}, setting_.stream);
  };
  const auto check = [this] { halo_->check(); };
  return sequence_->step() > 1 ? ProductSequence(product, setting_.stream, sequence_->step(), check)
                               : ProductSequence(product, check);
}

void Products::set_x(const std::byte* owned) {
  for (const HaloVector& vector : vectors_) {
    copy_between(vector.device, vector.data, owned,
                 static_cast<std::size_t>(vector.owned) * vector.element_bytes);
  }
}

/// Collective. The user's x, spoiled ghosts, this y.
void Products::restart(const std::vector<std::byte>& y) {
  set_x(setting_.x.data());
  set_y(y);
  spoil_ghosts();
}

CheckedRun Products::run_checked(const std::vector<std::byte>& y) {
  restart(y);
  CheckedRun run;
  run.products = std::max(2, sequence_->step());
  sequence_->run(run.products);
  run.y = this->y();
  sequence_->check();
  run.ghosts_are_right =
      setting_.disturbances.poison ||
      max_over_ranks(setting_.measuring.comm, std::int64_t{!ghosts_are_right()}) == 0;
  return run;
}

bool Products::ghosts_are_right() const {
  for (const HaloVector& vector : vectors_) {
    const std::size_t owned = static_cast<std::size_t>(vector.owned) * vector.element_bytes;
    std::vector<std::byte> ghosts(static_cast<std::size_t>(vector.ghosts) * vector.element_bytes);
    copy_between(vector.device, ghosts.data(), vector.ghost_data(), ghosts.size());
    if (!std::equal(ghosts.begin(), ghosts.end(), setting_.x.begin() + owned)) return false;
  }
  return true;
}

std::vector<std::byte> Products::run_single(const std::vector<std::byte>& y) {
  restart(y);
  apply(vectors_[single_++ % 2]);
  return this->y();
}

void Products::apply_once(const PhaseObserver& after) {
  const LocalKernels kernels = observed(kernels_, after);
  ObservedExchange halo(*halo_, after);
  apply_scheduled(setting_.schedule, kernels, halo, alpha_, vectors_[single_++ % 2], beta_,
                  y_.data(), setting_.stream);
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

// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors, y and the sequence of products (products.hpp).
#include "miniapp/tune/products.hpp"

#include <algorithm>
#include <array>

#include "partition/base/errors.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

/// Collective.
VectorMemory memory_of_y(const ProductSetting& setting, const LocalKernels& kernels) {
  VectorMemory y;
  take_resources(setting.measuring.comm, "y", [&] {
    y = VectorMemory(setting.site.device,
                     static_cast<std::size_t>(kernels.rows) * bytes_of(setting.type()));
  });
  return y;
}

/// Collective.
Operator make_operator(const ProductSetting& setting, const LocalKernels& kernels,
                       const TransportEntry& transport, std::byte* y) {
  ExchangeRequest request{transport, 2, y, setting.stream};
  request.wait_for_packing = setting.schedule == Schedule::petsc_like;
  request.wrap = setting.hooks.exchange;
  return Operator(kernels, make_exchanges(setting, kernels, request));
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
      alpha_(alpha),
      beta_(beta),
      y_(memory_of_y(setting, kernels)),
      operator_(make_operator(setting, kernels, *transport.entry, y_.data())) {
  try {
    for (HaloVector& vector : vectors_) vector = operator_.make_vector();
  } catch (const AgreedError&) {  // memory lacks
    operator_.close();
    throw;
  }
  set_timed_x();
  spoil_ghosts();
  const auto product = [this](std::int64_t k) { apply(k); };
  const auto check = [this] { operator_.check(); };
  if (transport.graph) {
    sequence_.emplace(product, setting.stream, products_per_graph, check);
    sequence_->run(products_per_graph);
    const double seconds = time_batch(setting.measuring, products_per_graph, *sequence_);
    const int length = graph_length(seconds);
    if (length > products_per_graph) sequence_.emplace(product, setting.stream, length, check);
    sequence_->took(seconds);
  } else {
    sequence_.emplace(product, check);
  }
}

/// The k-th.
Product Products::product(std::int64_t k) {
  return {alpha_, vectors_[k % 2], beta_, {y_.data(), setting_.type()}};
}

void Products::apply(std::int64_t k) {
  operator_.apply(product(k), setting_.stream);
  if (setting_.hooks.after) setting_.hooks.after(setting_.stream);
}

ProductSequence Products::local_sequence() {
  const auto product = [this](std::int64_t k) {
    operator_.apply_alone(this->product(k), setting_.stream);
  };
  const auto check = [this] { operator_.check(); };
  return sequence_->step() > 1 ? ProductSequence(product, setting_.stream, sequence_->step(), check)
                               : ProductSequence(product, check);
}

/// Half of the user's x, in pieces that stay in the cache.
void Products::set_timed_x() {
  constexpr std::int64_t piece = 1 << 18;
  const HaloVector& first = vectors_[0];
  std::vector<double> half(std::min<std::int64_t>(piece, first.owned));
  std::vector<std::byte> bytes(half.size() * first.element_bytes());
  for (std::int64_t begin = 0; begin < first.owned; begin += piece) {
    const std::int64_t count = std::min(piece, first.owned - begin);
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < count; ++k) {
      half[k] = load(first.type, setting_.x.data(), begin + k) / 2;
    }
    store(first.type, half.data(), count, bytes.data());
    for (const HaloVector& vector : vectors_) {
      copy_between(vector.device, vector.data + begin * vector.element_bytes(), bytes.data(),
                   count * vector.element_bytes());
    }
  }
}

/// Collective. The user's x and spoiled ghosts.
void Products::restart() {
  for (const HaloVector& vector : vectors_) {
    copy_between(vector.device, vector.data, setting_.x.data(),
                 static_cast<std::size_t>(vector.owned) * vector.element_bytes());
  }
  spoil_ghosts();
}

int Products::run_step() {
  const int products = std::max(2, sequence_->step());
  sequence_->run(products);
  if (setting_.site.device == Device::gpu) synchronize_device();
  sequence_->check();
  return products;
}

CheckedRun Products::run_checked(std::vector<std::byte> y) {
  begin_checked(y);
  const int products = run_step();
  return end_checked(std::move(y), products);
}

void Products::begin_checked(const std::vector<std::byte>& y) {
  set_y(y);
  restart();
}

CheckedRun Products::end_checked(std::vector<std::byte> y, int products) {
  CheckedRun run;
  run.products = products;
  run.y = std::move(y);
  copy_y(run.y);
  run.ghosts_are_right = ghosts_are_right();
  return run;
}

bool Products::ghosts_arrive() {
  restart();
  run_step();
  return ghosts_are_right();
}

bool Products::ghosts_are_right() const {
  return !setting_.hooks.ghosts_stay ||
         max_over_ranks(setting_.measuring.comm, std::int64_t{!own_ghosts_are_right()}) == 0;
}

bool Products::own_ghosts_are_right() const {
  const auto are = [](const HaloVector& vector, std::span<const std::byte> expected) {
    if (expected.size() != static_cast<std::size_t>(vector.ghosts) * vector.element_bytes()) {
      return false;
    }
    // Piece by piece: after the timing there may be no memory for a copy.
    std::array<std::byte, 1 << 16> piece{};
    for (std::size_t begin = 0; begin < expected.size(); begin += piece.size()) {
      const std::size_t bytes = std::min(piece.size(), expected.size() - begin);
      copy_between(vector.device, piece.data(), vector.ghost_data() + begin, bytes);
      if (!std::equal(piece.begin(), piece.begin() + bytes, expected.begin() + begin)) return false;
    }
    return true;
  };
  for (const HaloVector& vector : vectors_) {
    const std::size_t owned = static_cast<std::size_t>(vector.owned) * vector.element_bytes();
    if (!are(vector, std::span(setting_.x).subspan(owned))) return false;
  }
  return std::ranges::all_of(operator_.sum_vectors(), [&](const HaloVector& vector) {
    return are(vector, setting_.sums->expected());
  });
}

std::vector<std::byte> Products::run_single(std::vector<std::byte> y) {
  set_y(y);
  restart();
  apply(single_++);
  copy_y(y);
  return y;
}

void Products::apply_once(const PhaseObserver& after) {
  const StepHook told = [&](Step step) { after(entry_of(step).phase); };
  operator_.apply(product(single_++), setting_.stream, told);
  if (setting_.hooks.after) setting_.hooks.after(setting_.stream);
}

void Products::spoil_ghosts() {
  // All bits set is a NaN in every floating-point format.
  for (const HaloVector& vector : vectors_) {
    set_bytes(vector.device, vector.ghost_data(), 0xff,
              static_cast<std::size_t>(vector.ghosts) * vector.element_bytes());
  }
  for (const HaloVector& sums : operator_.sum_vectors()) {
    const std::size_t entries = static_cast<std::size_t>(sums.owned) + sums.ghosts;
    set_bytes(sums.device, sums.data, 0xff, entries * sums.element_bytes());
  }
  // A neighbour that went on alone might store the ghosts of the next product before this.
  ROWHALO_MPI(MPI_Barrier(setting_.measuring.comm.handle));
}

void Products::copy_y(std::vector<std::byte>& y) const {
  if (setting_.site.device == Device::gpu) synchronize_device();
  copy_between(setting_.site.device, y.data(), y_.data(), y.size());
}

void Products::set_y(const std::vector<std::byte>& y) {
  copy_between(setting_.site.device, y_.data(), y.data(), y.size());
}

void Products::close() {
  sequence_.reset();
  operator_.close();
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors, y and the sequence of products (products.hpp).
#include "miniapp/tune/products.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "partition/base/errors.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

/// Collective. Of `rows` entries of all vectors.
VectorMemory memory_of(const ProductSetting& setting, LocalIndex rows, const char* what) {
  VectorMemory memory;
  take_resources(setting.measuring.comm, what, [&] {
    const std::size_t entries = static_cast<std::size_t>(rows) * setting.x_shape().vectors;
    memory = VectorMemory(setting.site.device, entries * bytes_of(setting.type()));
  });
  return memory;
}

bool converts(const ProductSetting& setting, const LocalKernels& kernels) {
  return kernels.vectors > 1 && kernels.layout() != setting.layout;
}

/// What calls visit for every part of a vector that is exchanged by itself: all of it, or, in
/// column layout, one vector after the other.
template <class Visit>
void for_each_exchanged(const HaloVector& x, const Visit& visit) {
  if (x.layout == Layout::row) return visit(x, 0);
  for (int k = 0; k < x.vectors; ++k) visit(x.column(k), k);
}

/// Whether the ghosts are `expected`, in column layout, from the first ghost on. Piece by piece:
/// after the timing there may be no memory for a copy.
bool ghosts_equal(const HaloVector& x, const ConstVectorsView& expected) {
  std::array<std::byte, 1 << 16> found{};
  const std::size_t size = bytes_of(x.type);
  const auto piece = static_cast<std::int64_t>(found.size() / x.element_bytes());
  for (std::int64_t begin = 0; begin < x.ghosts; begin += piece) {
    const std::int64_t count = std::min<std::int64_t>(piece, x.ghosts - begin);
    copy_between(x.device, found.data(), x.ghost_data() + begin * x.element_bytes(),
                 count * x.element_bytes());
    const std::byte* entry = found.data();
    for (std::int64_t row = begin; row < begin + count; ++row) {
      for (int k = 0; k < x.vectors; ++k, entry += size) {
        if (std::memcmp(entry, expected.at(row, k), size) != 0) return false;
      }
    }
  }
  return true;
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
      kernels_(kernels),
      alpha_(alpha),
      beta_(beta),
      y_(memory_of(setting, kernels.rows, "y")),
      operator_(make_operator(setting, kernels, *transport.entry, y_.data())) {
  try {
    for (HaloVector& vector : vectors_) vector = operator_.make_vector();
    if (converts(setting, kernels)) {
      const LocalIndex owned = setting.matrix.owned_columns, rows = kernels.rows;
      caller_x_ = memory_of(setting, owned, "x");
      caller_y_ = memory_of(setting, rows, "y");
      const auto shape = [&](LocalIndex entries) {
        return VectorsShape{setting.type(), kernels.vectors, setting.layout, entries};
      };
      caller_ = {{caller_x_.data(), shape(owned)}, {caller_y_.data(), shape(rows)}};
    }
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
  return {alpha_,  vectors_[k % 2],
          beta_,   {y_.data(), setting_.type()},
          nullptr, caller_ ? &*caller_ : nullptr};
}

/// Where products take x from, and y.
std::vector<VectorsView> Products::given_x() const {
  if (caller_) return {{caller_x_.data(), caller_->x.shape}};
  return {owned_of(vectors_[0]), owned_of(vectors_[1])};
}
VectorsView Products::given_y() const {
  if (caller_) return caller_->y;
  return {y_.data(), {setting_.type(), kernels_.vectors, kernels_.layout(), kernels_.rows}};
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
  const ConstVectorsView x{setting_.x.data(), setting_.x_shape()};
  const auto& [type, vectors, layout, leading] = x.shape;
  const std::int64_t owned = vectors_[0].owned;
  const std::int64_t piece = std::min<std::int64_t>((1 << 18) / vectors, owned);
  std::vector<double> half(piece);
  std::vector<std::byte> bytes(half.size() * vectors * bytes_of(type));
  const VectorsView halves{bytes.data(), {type, vectors, layout, piece}};
  for (std::int64_t begin = 0; begin < owned; begin += piece) {
    const std::int64_t count = std::min(piece, owned - begin);
    for (int vector = 0; vector < vectors; ++vector) {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < count; ++k) half[k] = load(type, x.at(begin, vector), k) / 2;
      store(type, half.data(), count, halves.at(0, vector));
    }
    for (const VectorsView& given : given_x()) {
      put_vectors(setting_.site.device, count, halves, given.from(begin));
    }
  }
}

/// Collective. The user's x and spoiled ghosts.
void Products::restart() {
  for (const VectorsView& given : given_x()) {
    put_vectors(setting_.site.device, vectors_[0].owned, {setting_.x.data(), setting_.x_shape()},
                given);
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
  const ConstVectorsView x{setting_.x.data(), setting_.x_shape()};
  bool right = true;
  for (const HaloVector& vector : vectors_) {
    for_each_exchanged(vector, [&](const HaloVector& one, int k) {
      right = right && ghosts_equal(one, {x.at(vector.owned, k), x.shape});
    });
  }
  if (setting_.sums == nullptr) return right;
  const ConstVectorsView sums = setting_.sums->expected();
  int number = 0;
  for (const HaloVector& vector : operator_.sum_vectors()) {
    right = right && vector.ghosts == setting_.sums->plan().ghosts &&
            ghosts_equal(vector, {sums.at(0, number % kernels_.vectors), sums.shape});
    if (kernels_.layout() == Layout::column) ++number;
  }
  return right;
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
    for_each_exchanged(vector, [](const HaloVector& one, int) {
      set_bytes(one.device, one.ghost_data(), 0xff,
                static_cast<std::size_t>(one.ghosts) * one.element_bytes());
    });
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
  const VectorsView given = given_y();
  const VectorsShape columns{given.shape.type, given.shape.vectors, Layout::column, kernels_.rows};
  get_vectors(setting_.site.device, kernels_.rows, given, {y.data(), columns});
}

void Products::set_y(const std::vector<std::byte>& y) {
  const VectorsView given = given_y();
  const VectorsShape columns{given.shape.type, given.shape.vectors, Layout::column, kernels_.rows};
  put_vectors(setting_.site.device, kernels_.rows, {y.data(), columns}, given);
}

void Products::close() {
  sequence_.reset();
  operator_.close();
}

}  // namespace rowhalo

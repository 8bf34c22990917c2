// SPDX-License-Identifier: BSD-3-Clause
//
// The one loop over the steps of a product (operator.hpp).
#include "miniapp/spmv/operator.hpp"

#include <fmt/format.h>

#ifdef ROWHALO_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

#include <bit>
#include <stdexcept>

namespace rowhalo {

namespace {

/// A named range on the host's timeline for NVIDIA's profilers (NVTX 3, headers only). Costs
/// nothing to speak of without a profiler, and does nothing in a build without CUDA.
struct ProfilerRange {
#ifdef ROWHALO_HAVE_NVTX
  explicit ProfilerRange(const char* name) {
    nvtxRangePushA(name);
  }
  ~ProfilerRange() {
    nvtxRangePop();
  }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
#else
  const char* name;
#endif
};

void multiply(const SpmvKernel& kernel, const Product& p, ConstVectorView x, double* dot_parts,
              Stream stream) {
  kernel.apply({p.alpha, x, p.beta, p.y, dot_parts, p.x.vectors}, stream);
}

/// Owned entries of y of a product.
VectorsView y_of(const Product& p, LocalIndex rows) {
  return {p.y.data, {p.y.type, p.x.vectors, p.x.layout, rows}};
}

/// What steps work with. Without an exchange the product is this rank's alone.
struct Parts {
  const LocalKernels& kernels;
  const Product& product;
  HaloExchange* halo;
  HaloExchange* sums;
  const HaloVector* sum_vector;
  const SideStream* side;
  const TakenEntries* taken = nullptr;  ///< of a caller's own x
  ConstVectorView foreign = {};         ///< that x, where it is
  bool in_place = false;                ///< interior rows read it there

  /// Of the owned entries, for rows and columns without ghosts.
  ConstVectorView owned_x() const { return in_place ? foreign : ConstVectorView(product.x.view()); }
};

bool takes_part(const StepEntry& entry, const Parts& parts) {
  return !(entry.travels && parts.halo == nullptr) &&
         !(entry.of_sums && parts.sum_vector == nullptr) &&
         !(entry.of_foreign && parts.taken == nullptr) && !(entry.lane && parts.side == nullptr) &&
         !(entry.of_layout && parts.product.caller == nullptr);
}

void perform(Step step, const Parts& parts, Stream main, Stream stream) {
  const LocalKernels& kernels = parts.kernels;
  const Product& p = parts.product;
  const HaloVector* sums = parts.sum_vector;
  switch (step) {
    case Step::take_entries:
      return parts.in_place ? parts.taken->take(parts.foreign, p.x, stream)
                            : parts.taken->take_all(parts.foreign, p.x, stream);
    case Step::begin_halo:
      return parts.halo->begin(p.x, stream);
    case Step::finish_halo:
      return parts.halo->finish(p.x, stream);
    case Step::sums_for_others:
      if (sums->owned > 0) {
        kernels.sums->apply({.x = parts.owned_x(), .y = sums->view(), .vectors = p.x.vectors},
                            stream);
      }
      return;
    case Step::begin_sums:
      return parts.sums->begin(*sums, stream);
    case Step::finish_sums:
      return parts.sums->finish(*sums, stream);
    case Step::add_sums:
      if (sums->ghosts > 0) {
        kernels.added->apply({p.alpha, sums->view(), 1, p.y, nullptr, p.x.vectors}, stream);
      }
      return;
    case Step::interior_rows:
    case Step::owned_columns:
      return multiply(*kernels.interior, p, parts.owned_x(), p.dot_parts, stream);
    case Step::all_rows:
      return multiply(*kernels.interior, p, p.x.view(), p.dot_parts, stream);
    case Step::boundary_rows: {
      double* parts_of_boundary =
          p.dot_parts != nullptr ? p.dot_parts + *kernels.interior->dot_parts() : nullptr;
      if (kernels.boundary) multiply(*kernels.boundary, p, p.x.view(), parts_of_boundary, stream);
      return;
    }
    case Step::ghost_columns:
      return multiply(*kernels.boundary, {p.alpha, p.x, 1, p.y}, p.x.view(), nullptr, stream);
    case Step::convert_in: {
      const VectorsView x = owned_of(p.x), y = y_of(p, kernels.rows);
      convert_layout(p.x.device, p.x.owned, p.caller->x, x, stream);
      if (p.beta != 0) convert_layout(p.x.device, kernels.rows, p.caller->y, y, stream);
      return;
    }
    case Step::convert_out:
      return convert_layout(p.x.device, kernels.rows, y_of(p, kernels.rows), p.caller->y, stream);
    case Step::fork:
      parts.side->fork(main);
      return;
    case Step::join:
      return parts.side->join(main);
  }
}

void run(std::span<const PlacedStep> steps, const Parts& parts, Stream stream,
         const StepHook* after) {
  std::size_t k = 0;
  const auto skip = [&] {
    while (k < steps.size() && !takes_part(entry_of(steps[k].step), parts)) ++k;
  };
  for (skip(); k < steps.size(); skip()) {
    const PlacedStep placed = steps[k++];
    [[maybe_unused]] const ProfilerRange range{entry_of(placed.step).name};
    if (placed.step == Step::begin_halo && after == nullptr) {
      skip();
      if (k < steps.size() && steps[k].step == Step::finish_halo) {  // nothing in between
        ++k;
        parts.halo->exchange(parts.product.x, stream);
        continue;
      }
    }
    perform(placed.step, parts, stream,
            placed.beside && parts.side != nullptr ? parts.side->stream() : stream);
    if (after != nullptr) (*after)(placed.step);
  }
}

/// The steps of a list, once; with vectors in column layout those between the conversions once for
/// each vector, with an exchange of its own.
void run_all(std::span<const PlacedStep> steps, const Parts& parts, Stream stream,
             const StepHook* after) {
  const Product& p = parts.product;
  if (p.x.layout == Layout::row) return run(steps, parts, stream, after);
  const auto in = [](const PlacedStep& placed) { return placed.step == Step::convert_in; };
  const auto out = [](const PlacedStep& placed) { return placed.step == Step::convert_out; };
  const bool first = !steps.empty() && in(steps.front()),
             last = !steps.empty() && out(steps.back());
  if (first) run(steps.first(1), parts, stream, after);
  for (int k = 0; k < p.x.vectors; ++k) {
    const HaloVector x = p.x.column(k);
    const VectorsView y = y_of(p, parts.kernels.rows);
    const Product one{p.alpha, x, p.beta, {y.at(0, k), p.y.type}};
    const HaloVector* sums = parts.sum_vector != nullptr ? parts.sum_vector + k : nullptr;
    run(steps, {parts.kernels, one, parts.halo, parts.sums, sums, parts.side}, stream, after);
  }
  if (last) run(steps.last(1), parts, stream, after);
}

/// Beside rows of their own, or, with Order::blocking, beside sums.
const SideStream* side_of(const LocalKernels& kernels, bool sums) {
  return kernels.order == Order::overlap || sums ? kernels.side.get() : nullptr;
}

}  // namespace

/// Before anything is read or sent.
void Operator::check_types(NumberType x, NumberType y) const {
  if (kernels_ == nullptr) throw std::logic_error("an operator that was closed was used");
  if (x != kernels_->type) throw_other_type(x, kernels_->type);
  if (y != kernels_->type) throw_other_type(y, kernels_->type);
}

std::int64_t Operator::copied_bytes() const {
  return taken_ ? taken_->bytes() : 0;
}

/// The same, and that they are as many as the kernels multiply, in their layout.
void Operator::check_product(const Product& product) const {
  check_types(product.x.type, product.y.type);
  if (product.x.vectors == kernels_->vectors && product.x.layout == kernels_->layout()) return;
  throw std::logic_error(fmt::format(
      "an operator for {} vectors in {} layout was given {} in {} layout", kernels_->vectors,
      name_of(kernels_->layout()), product.x.vectors, name_of(product.x.layout)));
}

void Operator::apply(const Product& product, Stream stream) const {
  check_product(product);
  const HaloVector* sums = sums_ ? &sum_vectors_[product.x.slot] : nullptr;
  const SideStream* side = side_of(*kernels_, sums != nullptr);
  run_all(steps_of(kernels_->order, side != nullptr),
          {*kernels_, product, halo_.get(), sums_.get(), sums, side}, stream, nullptr);
}

void Operator::apply(double alpha, ConstVectorView x, double beta, VectorView y, Stream stream) {
  if (taken_ == nullptr) {
    throw std::logic_error("an operator that was not made for foreign vectors was given one");
  }
  check_types(x.type, y.type);
  if (kernels_->layout() == Layout::column) {
    throw std::logic_error("an operator for several vectors was given one");
  }
  multiply_taken(alpha, x, beta, y, own_vectors_[turn_], stream);
  turn_ = 1 - turn_;
}

/// With `own` for what is exchanged.
void Operator::multiply_taken(double alpha, ConstVectorView x, double beta, VectorView y,
                              const HaloVector& own, Stream stream) const {
  constexpr std::uintptr_t alignment = 16;  // of what kernels may load at once
  const Product product{alpha, own, beta, y};
  const SideStream* side = side_of(*kernels_, false);
  Parts parts{*kernels_, product, halo_.get(), nullptr, nullptr, side, taken_.get(), x};
  parts.in_place = std::bit_cast<std::uintptr_t>(x.data) % alignment == 0;
  run(steps_of(kernels_->order, side != nullptr), parts, stream, nullptr);
}

void Operator::apply(double alpha, const ConstVectorsView& x, double beta, const VectorsView& y,
                     Stream stream) {
  if (taken_ == nullptr) {
    throw std::logic_error("an operator that was not made for foreign vectors was given some");
  }
  check_types(x.shape.type, y.shape.type);
  const VectorsShape &in = x.shape, &out = y.shape;
  const int vectors = kernels_->vectors;
  if (in.vectors != vectors || out.vectors != vectors || in.layout != out.layout) {
    throw std::logic_error(
        fmt::format("an operator for {} vectors was given {} in {} layout for {} in {} layout",
                    vectors, in.vectors, name_of(in.layout), out.vectors, name_of(out.layout)));
  }
  const HaloVector& own = own_vectors_[turn_];
  if (in.layout == kernels_->layout() || vectors == 1) {
    for (int k = 0; k < (in.layout == Layout::row ? 1 : vectors); ++k) {
      const bool column = own.layout == Layout::column;
      multiply_taken(alpha, {x.at(0, k), in.type}, beta, {y.at(0, k), out.type},
                     column ? own.column(k) : own, stream);
    }
  } else {
    const OtherLayout caller{x, y};
    const VectorView converted{converted_y_.data(), out.type};
    const Product product{alpha, own, beta, converted, nullptr, &caller};
    const SideStream* side = side_of(*kernels_, false);
    run_all(steps_of(kernels_->order, side != nullptr),
            {*kernels_, product, halo_.get(), nullptr, nullptr, side}, stream, nullptr);
  }
  if (own.layout == Layout::row) turn_ = 1 - turn_;
}

void Operator::apply(const Product& product, Stream stream, const StepHook& after) const {
  apply(steps_of(kernels_->order, false), product, stream, after);
}

void Operator::apply(std::span<const PlacedStep> steps, const Product& product, Stream stream,
                     const StepHook& after) const {
  check_product(product);
  const HaloVector* sums = sums_ ? &sum_vectors_[product.x.slot] : nullptr;
  run_all(steps, {*kernels_, product, halo_.get(), sums_.get(), sums, nullptr}, stream, &after);
}

void Operator::apply_alone(const Product& product, Stream stream) const {
  const HaloVector* sums = sums_ ? &sum_vectors_[product.x.slot] : nullptr;
  const SideStream* side = side_of(*kernels_, sums != nullptr);
  run_all(steps_of(kernels_->order, side != nullptr),
          {*kernels_, product, nullptr, nullptr, sums, side}, stream, nullptr);
}

std::optional<NodeTraffic> Operator::sent_between_nodes() const {
  std::optional<NodeTraffic> sent = halo_->sent_between_nodes();
  if (sent && sums_) sent->add(sums_->sent_between_nodes().value());
  return sent;
}

void Operator::check() const {
  if (halo_) halo_->check();
  if (sums_) sums_->check();
}

std::vector<std::string> step_names(const LocalKernels& kernels, Layout layout) {
  StepChoice choice{.sums = kernels.sums != nullptr};
  choice.side = side_of(kernels, choice.sums) != nullptr;
  choice.converts = kernels.vectors > 1 && layout != kernels.layout();
  return names_of(steps_of(kernels.order, choice.side), choice);
}

}  // namespace rowhalo

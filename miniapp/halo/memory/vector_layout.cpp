// SPDX-License-Identifier: BSD-3-Clause
//
// Layout of vectors and messages (vector_layout.hpp).
#include "miniapp/halo/memory/vector_layout.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include "miniapp/halo/memory/node_memory.hpp"
#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

constexpr std::size_t vector_alignment = 4096;
constexpr std::size_t places = 32;  ///< of a vector, an alignment apart

/// Bytes from `begin` to the place of a vector where it is read fastest. Where the first places are
/// alike no further ones are tried, nor when it has taken long.
std::size_t fastest_place(const TransportContext& context, std::byte* begin) {
  constexpr std::size_t first_places = 4;
  constexpr double alike = 1.007;
  constexpr std::chrono::milliseconds budget(30);
  const auto start = std::chrono::steady_clock::now();
  double least = std::numeric_limits<double>::infinity(), most = 0;
  std::size_t fastest = 0;
  for (std::size_t place = 0; place < places; ++place) {
    if (place == first_places && most < alike * least) break;
    if (place > 0 && std::chrono::steady_clock::now() - start > budget) break;
    const double seconds = context.reading_seconds(begin + place * vector_alignment);
    if (seconds < least) fastest = place * vector_alignment;
    least = std::min(least, seconds);
    most = std::max(most, seconds);
  }
  return fastest;
}

}  // namespace

VectorLayout::VectorLayout(const TransportContext& context) {
  if (context.layout != nullptr) {
    *this = *context.layout;
    return;
  }
  const std::size_t entries = static_cast<std::size_t>(context.plan.owned) + context.plan.ghosts;
  stride_bytes = (entries * context.element_bytes() + vector_alignment - 1) / vector_alignment *
                 vector_alignment;
  if (context.reading_seconds) stride_bytes += (places - 1) * vector_alignment;
  bytes = stride_bytes * context.halo_vectors;
}

void VectorLayout::settle(const TransportContext& context, std::byte* base) {
  if (!context.reading_seconds) return;
  if (context.halo_vectors > 2)
    throw std::logic_error("transport: places are tried for two vectors");
  first_bytes = fastest_place(context, base);
  if (context.halo_vectors < 2) return;
  stride_bytes += fastest_place(context, base + stride_bytes) - first_bytes;
}

HaloVector VectorLayout::vector(const TransportContext& context, std::byte* base, int slot) const {
  if (slot >= context.halo_vectors) {
    throw std::logic_error("transport: more vectors than it was made for");
  }
  return {base + first_bytes + slot * stride_bytes,
          context.plan.owned,
          context.plan.ghosts,
          context.type,
          slot,
          context.site.device,
          context.vectors};
}

NodeExchange::NodeExchange(const TransportContext& context)
    : VectorExchange(context),
      near_ranks_(sharing_ranks(context.comm, context.site.nodes)),
      near_(context.plan),
      far_plan_(context.plan) {
  const auto is_near = [this](const auto& message) {
    return std::ranges::binary_search(near_ranks_, message.rank);
  };
  std::erase_if(near_.sends, std::not_fn(is_near));
  std::erase_if(near_.receives, std::not_fn(is_near));
  std::erase_if(far_plan_.sends, is_near);
  std::erase_if(far_plan_.receives, is_near);
}

HaloVector NodeExchange::make_vector() {
  if (far_) far_->make_vector();
  return VectorExchange::make_vector();
}

void NodeExchange::reach_others(
    std::unique_ptr<HaloExchange> (*make)(const TransportContext& context)) {
  if (std::ssize(near_ranks_) == context_.comm.size) return;
  TransportContext far{far_plan_,     context_.type, context_.halo_vectors,
                       context_.comm, context_.site, memory()};
  far.connections = context_.connections;
  far.layout = &layout_;
  far.vectors = context_.vectors;
  far_ = make(far);
}

std::vector<bool> contiguous_sends(const HaloPlan& plan) {
  std::vector<bool> contiguous;
  for (const HaloPlan::Send& send : plan.sends) {
    const LocalIndex first = plan.send_indices[send.begin];
    const LocalIndex last = plan.send_indices[send.begin + send.count - 1];
    contiguous.push_back(last - first + 1 == send.count);
  }
  return contiguous;
}

void MessageSpace::open(const TransportContext& context) {
  owner = context.comm;
  meet(owner);
  ROWHALO_MPI(MPI_Comm_dup(owner.handle, &comm));
  ROWHALO_MPI(MPI_Type_contiguous(checked_cast<int>(context.element_bytes(), "bytes of an entry"),
                                  MPI_BYTE, &element));
  ROWHALO_MPI(MPI_Type_commit(&element));
}

void MessageSpace::close() {
  ROWHALO_MPI(MPI_Type_free(&element));
  ROWHALO_MPI(MPI_Comm_free(&comm));
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Layout of vectors and messages (vector_layout.hpp).
#include "miniapp/halo/memory/vector_layout.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

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
  bytes = stride_bytes * context.vectors;
}

void VectorLayout::settle(const TransportContext& context, std::byte* base) {
  if (!context.reading_seconds) return;
  if (context.vectors > 2) throw std::logic_error("transport: places are tried for two vectors");
  first_bytes = fastest_place(context, base);
  if (context.vectors < 2) return;
  stride_bytes += fastest_place(context, base + stride_bytes) - first_bytes;
}

HaloVector VectorLayout::vector(const TransportContext& context, std::byte* base, int slot) const {
  if (slot >= context.vectors) {
    throw std::logic_error("transport: more vectors than it was made for");
  }
  return {base + first_bytes + slot * stride_bytes,
          context.plan.owned,
          context.plan.ghosts,
          context.type,
          slot,
          context.site.device};
}

HaloPlan part_of(const HaloPlan& plan, const std::function<bool(int)>& with) {
  HaloPlan part = plan;
  std::erase_if(part.sends, [&](const HaloPlan::Send& send) { return !with(send.rank); });
  std::erase_if(part.receives,
                [&](const HaloPlan::Receive& receive) { return !with(receive.rank); });
  return part;
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

// SPDX-License-Identifier: BSD-3-Clause
//
// Layout of vectors and messages (vector_layout.hpp).
#include "miniapp/halo/memory/vector_layout.hpp"

#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

constexpr std::size_t vector_alignment = 4096;

}  // namespace

VectorLayout::VectorLayout(const TransportContext& context) {
  const std::size_t entries = static_cast<std::size_t>(context.plan.owned) + context.plan.ghosts;
  stride_bytes = (entries * context.element_bytes + vector_alignment - 1) / vector_alignment *
                 vector_alignment;
  bytes = stride_bytes * context.vectors;
}

HaloVector VectorLayout::vector(const TransportContext& context, std::byte* base, int slot) const {
  if (slot == context.vectors) {
    throw std::logic_error("transport: more vectors than it was made for");
  }
  return {base + slot * stride_bytes,
          context.plan.owned,
          context.plan.ghosts,
          context.element_bytes,
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
  ROWHALO_MPI(MPI_Comm_dup(context.comm.handle, &comm));
  ROWHALO_MPI(MPI_Type_contiguous(checked_cast<int>(context.element_bytes, "bytes of an entry"),
                                  MPI_BYTE, &element));
  ROWHALO_MPI(MPI_Type_commit(&element));
}

void MessageSpace::close() {
  ROWHALO_MPI(MPI_Type_free(&element));
  ROWHALO_MPI(MPI_Comm_free(&comm));
}

}  // namespace rowhalo

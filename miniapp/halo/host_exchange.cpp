// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors and packing of the MPI transports on host memory (host_exchange.hpp).
#include "miniapp/halo/host_exchange.hpp"

#include <cstring>
#include <stdexcept>

#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

constexpr std::size_t vector_alignment = 4096;

template <class Word>
void gather(const HaloPlan& plan, const HaloPlan::Send& send, const std::byte* x,
            std::byte* buffer) {
  const auto* source = reinterpret_cast<const Word*>(x);
  auto* target = reinterpret_cast<Word*>(buffer);
  for (LocalIndex k = send.begin; k < send.begin + send.count; ++k) {
    target[k] = source[plan.send_indices[k]];
  }
}

}  // namespace

HostExchange::HostExchange(const TransportContext& context)
    : plan_(context.plan), element_bytes_(context.element_bytes), vectors_(context.vectors) {
  const std::size_t entries = static_cast<std::size_t>(plan_.owned) + plan_.ghosts;
  stride_bytes_ =
      (entries * element_bytes_ + vector_alignment - 1) / vector_alignment * vector_alignment;
  memory_ = HostAllocation(stride_bytes_ * vectors_);
  bool scattered = false;
  for (const HaloPlan::Send& send : plan_.sends) {
    const LocalIndex first = plan_.send_indices[send.begin];
    const LocalIndex last = plan_.send_indices[send.begin + send.count - 1];
    contiguous_.push_back(last - first + 1 == send.count);
    scattered = scattered || !contiguous_.back();
  }
  if (scattered) send_buffer_.resize(plan_.send_indices.size() * element_bytes_);
  ROWHALO_MPI(MPI_Comm_dup(context.comm.handle, &comm_));
  ROWHALO_MPI(MPI_Type_contiguous(checked_cast<int>(element_bytes_, "bytes of an entry"), MPI_BYTE,
                                  &element_));
  ROWHALO_MPI(MPI_Type_commit(&element_));
}

HaloVector HostExchange::make_vector() {
  if (made_ == vectors_) throw std::logic_error("transport: more vectors than it was made for");
  const int slot = made_++;
  return {memory_.data() + slot * stride_bytes_, plan_.owned, plan_.ghosts, element_bytes_, slot};
}

void HostExchange::close() {
  ROWHALO_MPI(MPI_Type_free(&element_));
  ROWHALO_MPI(MPI_Comm_free(&comm_));
  memory_ = HostAllocation();
}

void HostExchange::pack(const HaloVector& x) {
  for (std::size_t k = 0; k < plan_.sends.size(); ++k) {
    if (contiguous_[k]) continue;
    if (element_bytes_ == sizeof(double)) {
      gather<double>(plan_, plan_.sends[k], x.data, send_buffer_.data());
    } else {
      gather<float>(plan_, plan_.sends[k], x.data, send_buffer_.data());
    }
  }
}

const std::byte* HostExchange::message(const HaloVector& x, std::size_t k) const {
  const LocalIndex begin = plan_.sends[k].begin;
  return contiguous_[k] ? x.data + plan_.send_indices[begin] * element_bytes_
                        : send_buffer_.data() + begin * element_bytes_;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What the MPI transports on host memory share: the vectors, the send buffer, the gather into it.
// Entries that lie together in x are sent from where they are; only scattered ones are gathered.
#pragma once

#include <vector>

#include "miniapp/halo/transports.hpp"

namespace rowhalo {

class HostExchange : public HaloExchange {
 public:
  HaloVector make_vector() override;
  void close() override;

 protected:
  explicit HostExchange(const TransportContext& context);

  /// Copies the entries for the neighbours whose entries are scattered into the send buffer.
  void pack(const HaloVector& x);
  /// Where the message for plan().sends[k] starts.
  const std::byte* message(const HaloVector& x, std::size_t k) const;

  const HaloPlan& plan() const { return plan_; }
  std::size_t element_bytes() const { return element_bytes_; }
  MPI_Comm comm() const { return comm_; }
  MPI_Datatype element() const { return element_; }

 private:
  const HaloPlan& plan_;
  std::size_t element_bytes_;
  std::size_t stride_bytes_;  ///< from one vector to the next
  int vectors_, made_ = 0;
  HostAllocation memory_;
  std::vector<std::byte> send_buffer_;
  std::vector<bool> contiguous_;   ///< per send
  MPI_Comm comm_ = MPI_COMM_NULL;  ///< a duplicate: no tag can meet a stranger
  MPI_Datatype element_ = MPI_BYTE;
};

}  // namespace rowhalo

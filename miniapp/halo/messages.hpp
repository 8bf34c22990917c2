// SPDX-License-Identifier: BSD-3-Clause
//
// The messages of one exchange between host buffers, in one flavour of MPI (one file each: mpi.cpp,
// mpi_persistent.cpp). Where the buffers come from is the business of host_exchange.cpp (the vector
// itself) and staged_exchange.cpp (pinned memory beside a vector on a GPU).
#pragma once

#include <memory>
#include <vector>

#include "miniapp/halo/transports.hpp"

namespace rowhalo {

/// One end of a message: `count` entries of x at `address`.
struct MessageEnd {
  int rank;
  std::byte* address;
  LocalIndex count;
};

struct MessageContext {
  MPI_Comm comm;
  MPI_Datatype element;
  int tag;
  std::vector<MessageEnd> sends, receives;
};

/// Buffers and partners are fixed; an exchange is receive(), send(), wait().
class Messages {
 public:
  virtual ~Messages() = default;
  Messages() = default;
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  virtual void receive() = 0;  ///< starts to receive
  virtual void send() = 0;     ///< starts to send what the buffers hold
  virtual void wait() = 0;     ///< until everything has been sent and received
  virtual void close() = 0;    ///< frees what MPI holds; before MPI_Finalize
};

using MakeMessages = std::unique_ptr<Messages> (*)(MessageContext&& context);

/// Collective. Transports whose messages `make` makes, for vectors on the host and on the GPU.
std::unique_ptr<HaloExchange> make_host_exchange(const TransportContext& context,
                                                 MakeMessages make);
std::unique_ptr<HaloExchange> make_staged_exchange(const TransportContext& context,
                                                   MakeMessages make);

/// The one for context.site.device.
inline std::unique_ptr<HaloExchange> make_message_exchange(const TransportContext& context,
                                                           MakeMessages make) {
  return context.site.device == Device::gpu ? make_staged_exchange(context, make)
                                       : make_host_exchange(context, make);
}

}  // namespace rowhalo

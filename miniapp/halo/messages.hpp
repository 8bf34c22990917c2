// SPDX-License-Identifier: BSD-3-Clause
//
// The messages of one exchange between host buffers, in one flavour of MPI (mpi.cpp,
// mpi_neighbor.cpp, node_aware.cpp). Where the buffers come from is the business of
// message_exchange.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "miniapp/halo/memory/vector_layout.hpp"

namespace rowhalo {

/// One end of a message: `count` entries of x at `address`.
struct MessageEnd {
  int rank;
  std::byte* address;
  LocalIndex count;
};

struct MessageContext {
  MessageSpace space;
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

  /// As HaloExchange::sent_between_nodes().
  virtual std::optional<NodeTraffic> sent_between_nodes() const { return {}; }
};

/// Collective.
using MakeMessages = std::function<std::unique_ptr<Messages>(MessageContext&& context)>;

/// Those of transport `mpi`, for transports that are made of them. Local.
std::unique_ptr<Messages> make_mpi_messages(MessageContext&& context);

/// The messages of a plan with the exchange's own buffers; ends in the order of plan.sends and
/// plan.receives. Sends that are `contiguous` leave from x, others from `packed`.
MessageContext messages_of_vector(const HaloPlan& plan, const MessageSpace& space,
                                  const HaloVector& x, const std::vector<bool>& contiguous,
                                  std::byte* packed);

/// Which sends are gathered into one buffer, in the order of the plan; others leave from x.
enum class Packing { scattered, all };
/// What MPI reads and writes: host memory, pinned copies of a GPU's, or its own.
enum class Buffers { host, pinned, device };

/// Collective. The transport whose messages `make` makes, for vectors on the host, and for those on
/// a GPU by `on_gpu` (pinned: all are packed).
std::unique_ptr<HaloExchange> make_message_exchange(const TransportContext& context,
                                                    MakeMessages make,
                                                    Packing packing = Packing::scattered,
                                                    Buffers on_gpu = Buffers::pinned);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What the transports share, whatever they move the bytes with: how vectors lie in the allocation,
// which messages may leave from x itself, and the duplicate of the communicator.
//
// Where many rows read the same few entries of x, its place decides how long a GPU takes, most
// likely because addresses say which slices of L2 hold those entries. rmat:22 on one H200 took 403
// to 423 us with x at 36 places, at each the same again to 0.3 %, wherever y was. A vector that is
// moved by a page is as good as one that is somewhere else, so a transport tries pages.
#pragma once

#include <vector>

#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/halo/transports.hpp"

namespace rowhalo {

/// The vectors of a transport, one behind the other in one allocation.
struct VectorLayout {
  std::size_t first_bytes = 0, stride_bytes, bytes;

  explicit VectorLayout(const TransportContext& context);
  /// Local. Moves one or two vectors to where they are read fastest, if the context can tell.
  void settle(const TransportContext& context, std::byte* base);
  HaloVector vector(const TransportContext& context, std::byte* base, int slot) const;
};

/// A transport with such vectors. Who derives from it takes and frees their memory.
class VectorExchange : public HaloExchange {
 public:
  explicit VectorExchange(const TransportContext& context) : context_(context), layout_(context) {}
  HaloVector make_vector() override { return layout_.vector(context_, memory(), made_++); }

 protected:
  /// Local. Memory of their own, with `more_bytes` behind them, unless the context says where they
  /// lie.
  void take_memory(std::size_t more_bytes = 0) {
    if (context_.memory != nullptr) return;
    own_ = VectorMemory(context_.site.device, layout_.bytes + more_bytes);
    layout_.settle(context_, own_.data());
  }
  std::byte* memory() const { return context_.memory != nullptr ? context_.memory : own_.data(); }
  void free_memory() { own_ = VectorMemory(); }

  TransportContext context_;
  VectorLayout layout_;

 private:
  VectorMemory own_;
  int made_ = 0;
};

/// A transport for ranks of one node that reaches others by another transport in the same exchange.
class NodeExchange : public VectorExchange {
 public:
  /// Collective.
  explicit NodeExchange(const TransportContext& context);
  HaloVector make_vector() override;

 protected:
  /// Collective, when the vectors have memory. Where ranks are not alone: the transport of others.
  void reach_others(std::unique_ptr<HaloExchange> (*make)(const TransportContext& context));

  std::vector<int> near_ranks_;        ///< of this node, ascending, this one too
  HaloPlan near_;                      ///< between them
  std::unique_ptr<HaloExchange> far_;  ///< null where all are near

 private:
  HaloPlan far_plan_;  ///< between ranks of different nodes
};

/// Per send of the plan: its entries lie together in x and need no packing.
std::vector<bool> contiguous_sends(const HaloPlan& plan);

/// A duplicate of a communicator and the datatype of an entry: no tag can meet a stranger.
struct MessageSpace {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype element = MPI_DATATYPE_NULL;
  Comm owner = {};  ///< `comm` is its duplicate

  void open(const TransportContext& context);  ///< collective
  void close();                                ///< collective
};

}  // namespace rowhalo

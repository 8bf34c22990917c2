// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `mpi-shared`: ranks of a node hand entries over in memory that they share
// (node_memory.hpp): the owner gathers them into a box, the other copies them to its ghosts. No
// message, so nothing is matched, cut into fragments or copied through a queue. Vectors stay in
// memory of their own, on huge pages. A counter says what lies in the boxes, another what was taken
// out; two boxes per neighbour, used in turn, let the owner go on before the first is empty: with
// symmetric patterns it never waits for that. Bytes of an exchange: 4 per entry for its index, 2
// reads and 2 writes of it. Ranks of other nodes are reached by mpi in the same exchange.
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>

#include "miniapp/halo/element_word.hpp"
#include "miniapp/halo/memory/node_memory.hpp"
#include "miniapp/halo/memory/vector_layout.hpp"

namespace rowhalo {

std::unique_ptr<HaloExchange> make_mpi_exchange(const TransportContext& context);

namespace {

constexpr std::size_t cache_line = 64;
constexpr int boxes = 2;

/// Before the boxes. Exchanges count from 1; that of number e uses box e % boxes.
struct Counters {
  alignas(cache_line) std::atomic<std::uint64_t> stored{0};  ///< the last that the owner has stored
  alignas(cache_line) std::atomic<std::uint64_t> taken{0};   ///< the last that has been taken out
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);  // holds between processes too

std::size_t box_bytes(const TransportContext& context, LocalIndex count) {
  const std::size_t bytes = context.element_bytes() * static_cast<std::size_t>(count);
  return (bytes + cache_line - 1) / cache_line * cache_line;
}

/// What one rank sends to another of its node, in the owner's memory.
struct Channel {
  int rank;           ///< the other one
  std::size_t bytes;  ///< of what is sent
  std::size_t stride;
  Counters* counters;

  std::byte* box(std::uint64_t exchange) const {
    return reinterpret_cast<std::byte*>(counters) + sizeof(Counters) + exchange % boxes * stride;
  }
};

class SharedExchange final : public NodeExchange {
 public:
  explicit SharedExchange(const TransportContext& context)
      : NodeExchange(context),
        contiguous_(contiguous_sends(near_)),
        exchange_of_(static_cast<std::size_t>(context.halo_vectors), 0) {
    take_resources(context.comm, "--halo mpi-shared", [&] { take_memory(); });
    make_channels();
    reach_others(make_mpi_exchange);
  }

  void begin(const HaloVector& x, Stream stream) override {
    if (far_) far_->begin(x, stream);
    const std::uint64_t exchange = ++begun_;
    exchange_of_[x.slot] = exchange;
    for (std::size_t k = 0; k < outgoing_.size(); ++k) {
      const Channel& channel = outgoing_[k];
      wait_for(channel.counters->taken, exchange > boxes ? exchange - boxes : 0, channel.rank);
      const HaloPlan::Send& send = near_.sends[k];
      const auto indices = std::span(near_.send_indices).subspan(send.begin, send.count);
      if (contiguous_[k]) {
        const std::byte* first = x.data + indices.front() * context_.element_bytes();
        std::memcpy(channel.box(exchange), first, channel.bytes);
      } else {
        gather_on_host(context_.type, context_.vectors, indices, x.data, channel.box(exchange));
      }
      channel.counters->stored.store(exchange, std::memory_order_release);
    }
  }

  void finish(const HaloVector& x, Stream stream) override {
    const std::uint64_t exchange = exchange_of_[x.slot];
    for (std::size_t k = 0; k < incoming_.size(); ++k) {
      const Channel& channel = incoming_[k];
      wait_for(channel.counters->stored, exchange, channel.rank);
      std::memcpy(x.ghost_data() + near_.receives[k].begin * context_.element_bytes(),
                  channel.box(exchange), channel.bytes);
      channel.counters->taken.store(exchange, std::memory_order_release);
    }
    if (far_) far_->finish(x, stream);
  }

  void close() override {
    if (far_) far_->close();
    free_memory();
    boxes_ = NodeMemory();  // others may still have it
  }

 private:
  Channel channel(int rank, LocalIndex count, std::byte* begin) const {
    return {rank, context_.element_bytes() * static_cast<std::size_t>(count),
            box_bytes(context_, count), reinterpret_cast<Counters*>(begin)};
  }

  /// Lays out this rank's segment, a channel a send, and tells the receivers where theirs begin.
  void make_channels() {
    std::vector<std::uint64_t> begins;
    std::vector<int> targets;
    std::uint64_t bytes = 0;
    for (const HaloPlan::Send& send : near_.sends) {
      begins.push_back(bytes);
      targets.push_back(send.rank);
      bytes += sizeof(Counters) + boxes * box_bytes(context_, send.count);
    }
    boxes_ = NodeMemory(context_.comm, near_ranks_, bytes);
    std::byte* const own = boxes_.segment_of(context_.comm.rank);
    for (std::size_t k = 0; k < begins.size(); ++k) {
      const HaloPlan::Send& send = near_.sends[k];
      outgoing_.push_back(channel(send.rank, send.count, own + begins[k]));
      new (outgoing_[k].counters) Counters;
    }
    const std::vector<std::uint64_t> theirs = exchange_each(context_.comm, targets, begins);
    for (std::size_t k = 0; k < theirs.size(); ++k) {
      const HaloPlan::Receive& receive = near_.receives[k];
      incoming_.push_back(
          channel(receive.rank, receive.count, boxes_.segment_of(receive.rank) + theirs[k]));
    }
  }

  /// Until `counter` has come to `exchange`; gives the core away where ranks outnumber cores.
  void wait_for(const std::atomic<std::uint64_t>& counter, std::uint64_t exchange, int rank) const {
    constexpr int looks = 1000;
    const auto there = [&] { return counter.load(std::memory_order_acquire) >= exchange; };
    for (int k = 0; k < looks; ++k) {
      if (there()) return;
    }
    // Before the watchdog, which knows less, ends the job.
    const double limit_seconds = 0.8 * context_.site.timeout_seconds;
    const double start = MPI_Wtime();
    while (!there()) {
      std::this_thread::yield();
      if (MPI_Wtime() - start < limit_seconds) continue;
      throw std::runtime_error(
          fmt::format("mpi-shared: rank {} has waited {:.0f} s for rank {} (exchange {}); it may "
                      "have died, or --timeout is too short",
                      context_.comm.rank, limit_seconds, rank, exchange));
    }
  }

  std::vector<bool> contiguous_;
  NodeMemory boxes_;
  std::vector<Channel> outgoing_, incoming_;  ///< as near_.sends and near_.receives
  std::vector<std::uint64_t> exchange_of_;    ///< the last of each vector
  std::uint64_t begun_ = 0;
};

}  // namespace

std::string mpi_shared_unusable(const ComputeSite& site) {
  if (site.device == Device::gpu) return "it takes vectors in host memory only; use p2p or mpi";
  const std::vector<int>& node_of = site.nodes.node_of;
  if (node_of.size() > 1 && std::ssize(node_of) == site.nodes.nodes) {
    return "no two ranks are on one node; use mpi";
  }
  return site.shared_memory_refusal;
}

std::unique_ptr<HaloExchange> make_mpi_shared_exchange(const TransportContext& context) {
  return std::make_unique<SharedExchange>(context);
}

}  // namespace rowhalo

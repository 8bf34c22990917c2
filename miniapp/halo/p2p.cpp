// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `p2p`: a kernel stores the entries that neighbours on this host need straight into
// their ghosts, over NVLink, and signals; another waits for what comes (p2p_kernels.cu has the
// protocol). No call of a library, no copy, nothing on the host: a product fits into a CUDA graph.
// Both kernels run on a stream of their own beside the interior rows. Ranks of other hosts are
// reached by nccl in the same exchange.
#include "miniapp/halo/transports.hpp"

#ifdef ROWHALO_HAVE_CUDA

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "miniapp/halo/p2p_kernels.hpp"
#include "miniapp/halo/peer_memory.hpp"
#include "miniapp/halo/vector_layout.hpp"

namespace rowhalo {

std::string nccl_unusable(const ComputeSite& site);
std::unique_ptr<HaloExchange> make_nccl_exchange(const TransportContext& context);

namespace {

/// The plan between ranks that `together` says of `rank`.
template <class Together>
HaloPlan part_of(const HaloPlan& plan, const Together& together) {
  HaloPlan part = plan;
  std::erase_if(part.sends, [&](const HaloPlan::Send& send) { return !together(send.rank); });
  std::erase_if(part.receives,
                [&](const HaloPlan::Receive& receive) { return !together(receive.rank); });
  return part;
}

/// Partners in at least one direction, ascending.
std::vector<int> partners(const HaloPlan& plan) {
  std::vector<int> ranks;
  for (const HaloPlan::Send& send : plan.sends) ranks.push_back(send.rank);
  for (const HaloPlan::Receive& receive : plan.receives) ranks.push_back(receive.rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

/// How the allocation of a rank is laid out, as far as a peer must know: the vectors, then counters
/// that peers write, `arrived` and `ready` of each.
struct Layout {
  std::uint64_t stride_bytes;
  std::uint64_t owned_bytes;    ///< of a vector, before its ghosts
  std::uint64_t counter_bytes;  ///< from the base to `arrived` of the peer that is told
  std::uint64_t ready_bytes;    ///< from the base to `ready` of that peer
};

constexpr std::size_t counter_stride = counter_words * sizeof(std::uint32_t);

class P2pExchange final : public HaloExchange {
 public:
  explicit P2pExchange(const TransportContext& context)
      : context_(context),
        plan_(part_of(context.plan, [this](int rank) { return is_near(rank); })),
        ranks_(partners(plan_)),
        layout_(context),
        memory_(Device::gpu, layout_.bytes + 2 * ranks_.size() * counter_stride),
        mapped_(context.comm, memory_.data(), ranks_),
        failure_(sizeof(PeerFailure)) {
    tell_peers();
    cut_chunks();
    *failure() = {};
    if (context.site.nodes.nodes > 1) {
      far_plan_ = part_of(context.plan, [this](int rank) { return !is_near(rank); });
      TransportContext far{far_plan_,    context.element_bytes, context.vectors,
                           context.comm, context.site,          memory_.data()};
      far_ = make_nccl_exchange(far);
    }
  }

  HaloVector make_vector() override {
    if (far_) far_->make_vector();
    return layout_.vector(context_, memory_.data(), made_++);
  }

  void begin(const HaloVector& x, Stream stream) override {
    if (far_) far_->begin(x, stream);
    if (ranks_.empty()) return;
    ready_.record(stream);  // x is final, and nobody reads its old ghosts any more
    ready_.hold_back(side_.stream());
    push_to_peers(exchange_, context_.element_bytes, x.data, x.slot, side_.stream());
    wait_for_peers(exchange_, side_.stream());
    arrived_.record(side_.stream());
  }

  void finish(const HaloVector& x, Stream stream) override {
    if (far_) far_->finish(x, stream);
    if (!ranks_.empty()) arrived_.hold_back(stream);
  }

  void check() const override {
    if (far_) far_->check();
    const volatile PeerFailure* seen = failure();
    if (seen->happened == 0) return;
    throw std::runtime_error(fmt::format(
        "p2p: rank {} has waited {:.0f} s for rank {} ({}, exchange {}); it may have died, or "
        "--timeout is too short",
        context_.comm.rank, static_cast<double>(exchange_.limit_nanoseconds) * 1e-9,
        int{seen->rank}, seen->waited_for == 1 ? "entries of x" : "readiness to receive",
        std::uint32_t{seen->exchange}));
  }

  void close() override {
    side_.synchronize();
    if (far_) far_->close();
    ROWHALO_MPI(MPI_Barrier(context_.comm.handle));  // nobody stores here any more
    mapped_.close();
    ROWHALO_MPI(MPI_Barrier(context_.comm.handle));  // nobody has this memory mapped any more
    memory_ = VectorMemory();
  }

 private:
  bool is_near(int rank) const {
    const std::vector<int>& node_of = context_.site.nodes.node_of;
    return node_of.empty() || node_of[rank] == node_of[context_.comm.rank];
  }

  PeerFailure* failure() const { return reinterpret_cast<PeerFailure*>(failure_.data()); }

  std::uint32_t* counter(std::byte* base, std::uint64_t bytes) const {
    return reinterpret_cast<std::uint32_t*>(base + bytes);
  }

  /// Counters of the k-th peer in this rank's own memory, from its base.
  std::uint64_t arrived_bytes(std::size_t k) const { return layout_.bytes + k * counter_stride; }
  std::uint64_t ready_bytes(std::size_t k) const {
    return arrived_bytes(ranks_.size()) + k * counter_stride;
  }

  /// Exchanges layouts with the peers and learns where to store.
  void tell_peers() {
    std::vector<Layout> own, theirs(ranks_.size());
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      own.push_back({layout_.stride_bytes, context_.plan.owned * context_.element_bytes,
                     arrived_bytes(k), ready_bytes(k)});
    }
    std::vector<MPI_Request> requests;
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      ROWHALO_MPI(MPI_Irecv(&theirs[k], sizeof(Layout), MPI_BYTE, ranks_[k], 0,
                            context_.comm.handle, &requests.emplace_back()));
      ROWHALO_MPI(MPI_Isend(&own[k], sizeof(Layout), MPI_BYTE, ranks_[k], 0, context_.comm.handle,
                            &requests.emplace_back()));
    }
    ROWHALO_MPI(
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      std::byte* const base = mapped_.base_of(ranks_[k]);
      peers_.push_back({base + theirs[k].owned_bytes, theirs[k].stride_bytes,
                        counter(base, theirs[k].counter_bytes),
                        counter(base, theirs[k].ready_bytes), 0, ranks_[k]});
    }
  }

  /// Chunks of all sends; a peer to which nothing is sent gets one without entries.
  void cut_chunks() {
    std::vector<PeerChunk> chunks;
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      const auto peer = static_cast<std::uint32_t>(k);
      const auto send = std::find_if(
          plan_.sends.begin(), plan_.sends.end(),
          [&](const HaloPlan::Send& candidate) { return candidate.rank == ranks_[k]; });
      if (send == plan_.sends.end()) {
        chunks.push_back({peer, 0, 0, 0});
        peers_[k].chunks = 1;
        continue;
      }
      peers_[k].ghosts += send->remote_begin * context_.element_bytes;
      for (LocalIndex first = 0; first < send->count; first += p2p_chunk) {
        chunks.push_back({peer, static_cast<std::uint32_t>(first),
                          static_cast<std::uint32_t>(send->begin + first),
                          static_cast<std::uint32_t>(std::min(p2p_chunk, send->count - first))});
        ++peers_[k].chunks;
      }
    }
    device_peers_ = DeviceArray<Peer>(std::span<const Peer>(peers_));
    device_chunks_ = DeviceArray<PeerChunk>(std::span<const PeerChunk>(chunks));
    indices_ = DeviceArray<LocalIndex>(std::span<const LocalIndex>(plan_.send_indices));
    stored_ = DeviceArray<std::uint32_t>(std::ssize(ranks_));
    counters_ = DeviceArray<PeerCounters>(1);
    set_bytes(Device::gpu, stored_.data(), 0, static_cast<std::size_t>(stored_.bytes()));
    set_bytes(Device::gpu, counters_.data(), 0, sizeof(PeerCounters));
    // Before the watchdog, which knows less, ends the job.
    const double limit_seconds = 0.8 * context_.site.timeout_seconds;
    exchange_ = {device_peers_.data(),
                 static_cast<std::uint32_t>(peers_.size()),
                 device_chunks_.data(),
                 static_cast<std::uint32_t>(chunks.size()),
                 indices_.data(),
                 stored_.data(),
                 counter(memory_.data(), arrived_bytes(0)),
                 counter(memory_.data(), ready_bytes(0)),
                 counters_.data(),
                 failure(),
                 static_cast<std::uint64_t>(limit_seconds * 1e9)};
  }

  TransportContext context_;
  HaloPlan plan_;           ///< between ranks of this node
  std::vector<int> ranks_;  ///< of the peers
  VectorLayout layout_;
  VectorMemory memory_;  ///< vectors and the counters that peers write
  PeerMemory mapped_;
  PinnedMemory failure_;
  std::vector<Peer> peers_;
  DeviceArray<Peer> device_peers_;
  DeviceArray<PeerChunk> device_chunks_;
  DeviceArray<LocalIndex> indices_;
  DeviceArray<std::uint32_t> stored_;
  DeviceArray<PeerCounters> counters_;
  PeerExchange exchange_{};
  StreamHandle side_{StreamHandle::Priority::high};
  EventHandle ready_{EventHandle::Timing::off}, arrived_{EventHandle::Timing::off};
  HaloPlan far_plan_;  ///< between ranks of different nodes
  std::unique_ptr<HaloExchange> far_;
  int made_ = 0;
};

}  // namespace

std::string p2p_unusable(const ComputeSite& site) {
  if (site.device != Device::gpu) return "it needs GPUs; use mpi or mpi-persistent";
  if (site.shared) {
    return "several ranks share one GPU, where one that waits may keep the other from running; use "
           "one rank a GPU, or mpi";
  }
  if (!site.no_peers.empty()) {
    return fmt::format("GPUs of one host cannot store into each other's memory ({}); use nccl",
                       site.no_peers);
  }
  if (site.nodes.nodes > 1 && !nccl_unusable(site).empty()) {
    return fmt::format("ranks of other nodes are reached by nccl: {}", nccl_unusable(site));
  }
  return {};
}

std::unique_ptr<HaloExchange> make_p2p_exchange(const TransportContext& context) {
  return std::make_unique<P2pExchange>(context);
}

}  // namespace rowhalo

#else

#include <stdexcept>

namespace rowhalo {

std::string p2p_unusable(const ComputeSite&) {
  return "built without CUDA; configure with -D ROWHALO_WITH_CUDA=ON";
}

std::unique_ptr<HaloExchange> make_p2p_exchange(const TransportContext&) {
  throw std::logic_error("p2p was asked for in a build without CUDA");
}

}  // namespace rowhalo

#endif

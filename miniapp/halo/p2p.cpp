// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `p2p`: one kernel per product stores the entries that neighbours on this host need
// straight into their memory, over NVLink, and waits for what comes: as lines where all messages
// are small (p2p/lines.cu), else in chunks (p2p/chunks.cu). No call of a library, no copy, nothing
// on the host: a product fits into a CUDA graph. The kernel runs on a stream of its own beside the
// interior rows, or in the product's stream where all rows wait for it. Ranks of other hosts are
// reached by nccl in the same exchange.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "miniapp/halo/memory/peer_memory.hpp"
#include "miniapp/halo/memory/vector_layout.hpp"
#include "miniapp/halo/p2p/chunks.hpp"
#include "miniapp/halo/p2p/lines.hpp"

namespace rowhalo {

std::string nccl_unusable(const ComputeSite& site);
std::unique_ptr<HaloExchange> make_nccl_exchange(const TransportContext& context);

namespace {

/// Partners in at least one direction, ascending.
std::vector<int> partners(const HaloPlan& plan) {
  std::set<int> ranks;
  for (const HaloPlan::Send& send : plan.sends) ranks.insert(send.rank);
  for (const HaloPlan::Receive& receive : plan.receives) ranks.insert(receive.rank);
  return {ranks.begin(), ranks.end()};
}

/// Most entries of a message that travels as lines: twice the bytes then take as
/// long as the fence that they spare. Beside interior rows on 4 H200s, 19200 entries took the same
/// either way, 40000 were faster as chunks.
constexpr std::int64_t most_entries_as_lines = 32768;

/// What a peer must know of a rank's allocation in order to write there: bytes from its base. What
/// is said of the peer is told to that peer alone.
struct PeerLayout {
  std::uint64_t ghosts;    ///< of the first vector
  std::uint64_t stride;    ///< from one vector to the next
  std::uint64_t incoming;  ///< where lines or flags of the peer begin
  std::uint64_t ready;     ///< counter that the peer writes
};

/// Collective. Whether all messages of so many vectors are small enough.
bool suit_lines(const Comm& comm, const HaloPlan& plan, int vectors) {
  std::int64_t longest = 0;
  for (const HaloPlan::Send& send : plan.sends)
    longest = std::max<std::int64_t>(longest, send.count);
  return max_over_ranks(comm, longest) * vectors <= most_entries_as_lines;
}

/// What of `messages` goes to or comes from `rank`; null: nothing.
template <class Message>
const Message* message_of(const std::vector<Message>& messages, int rank) {
  const auto found = std::find_if(messages.begin(), messages.end(),
                                  [&](const Message& message) { return message.rank == rank; });
  return found == messages.end() ? nullptr : &*found;
}

constexpr std::size_t counter_stride = p2p::counter_words * sizeof(std::uint32_t);

class P2pExchange final : public NodeExchange {
 public:
  explicit P2pExchange(const TransportContext& context)
      : NodeExchange(context),
        ranks_(partners(near_)),
        as_lines_(suit_lines(context.comm, near_, context.vectors)) {
    lay_out_incoming();
    take_resources(context.comm, "--halo p2p", [&] {
      take_memory(incoming_begin() + incoming_bytes_ - layout_.bytes);
      failure_ = PinnedMemory(sizeof(PeerFailure));
      counters_ = DeviceArray<p2p::Counters>(1);
      start_counters();
      *failure() = {};
      side_.emplace(StreamHandle::Priority::high);
      ready_.emplace(EventHandle::Timing::off);
      arrived_.emplace(EventHandle::Timing::off);
    });
    mapped_ = PeerMemory(context.comm, memory(), ranks_);
    try {
      together(context.comm, [this] { connect(); });
    } catch (const AgreedError&) {
      release();
      throw;
    }
  }

  void begin(const HaloVector& x, Stream stream) override {
    if (far_) far_->begin(x, stream);
    if (!ranks_.empty()) {
      ready_->record(stream);  // x is final, and nobody reads its old ghosts any more
      ready_->make_wait(side_->stream());
      send_and_receive(x, p2p::Place::alone, side_->stream());
      arrived_->record(side_->stream());
    }
    if (context_.wait_for_packing) synchronize(stream);
  }

  void finish(const HaloVector& x, Stream stream) override {
    if (far_) far_->finish(x, stream);
    if (!ranks_.empty()) arrived_->make_wait(stream);
  }

  void exchange(const HaloVector& x, Stream stream) override {
    if (far_) far_->begin(x, stream);
    if (!ranks_.empty()) send_and_receive(x, p2p::Place::in_line, stream);
    if (far_) far_->finish(x, stream);
  }

  void check() const override {
    if (far_) far_->check();
    const volatile PeerFailure* seen = failure();
    if (seen->happened == 0) return;
    throw std::runtime_error(fmt::format(
        "p2p: rank {} has waited {:.0f} s for rank {} ({}, exchange {}); it may have died, or "
        "--timeout is too short",
        context_.comm.rank, static_cast<double>(watch().limit_nanoseconds) * 1e-9, int{seen->rank},
        seen->waited_for == p2p::entries ? "entries of x" : "readiness to receive",
        std::uint32_t{seen->exchange}));
  }

  void close() override {
    synchronize_device();
    if (far_) far_->close();
    ROWHALO_MPI(MPI_Barrier(context_.comm.handle));  // nobody stores here any more
    release();
  }

 private:
  /// Collective. Tells the peers where to store, and reaches the other ranks.
  void connect() {
    const std::vector<PeerLayout> theirs = exchange_each(context_.comm, ranks_, own_layouts());
    const std::vector<p2p::Link> links = links_to(theirs);
    const std::span<const LocalIndex> indices(near_.send_indices);
    std::byte* const incoming = memory() + incoming_begin();
    take_resources(context_.comm, "--halo p2p", [&] {
      if (as_lines_) {
        lines_.emplace(links, indices, context_.type, context_.vectors, incoming, half_bytes_,
                       watch());
      } else {
        chunks_.emplace(links, indices, context_.type, context_.vectors, incoming,
                        memory() + ready_bytes(0), watch());
      }
    });
    reach_others(make_nccl_exchange);
  }

  /// Collective.
  void release() {
    mapped_.close();
    ROWHALO_MPI(MPI_Barrier(context_.comm.handle));  // nobody has this memory mapped any more
    free_memory();
  }

  void send_and_receive(const HaloVector& x, p2p::Place place, Stream stream) const {
    if (lines_) {
      lines_->exchange(x, place, stream);
    } else {
      chunks_->exchange(x, place, stream);
    }
  }

  PeerFailure* failure() const { return reinterpret_cast<PeerFailure*>(failure_.data()); }

  p2p::Watch watch() const {
    // Before the watchdog, which knows less, ends the job.
    const double limit_seconds = 0.8 * context_.site.timeout_seconds;
    return {{&counters_.data()->failed, failure(), static_cast<std::uint64_t>(limit_seconds * 1e9)},
            counters_.data()};
  }

  /// In this rank's allocation: vectors, a counter of each peer's readiness, what comes in.
  std::uint64_t ready_bytes(std::size_t k) const { return layout_.bytes + k * counter_stride; }
  std::uint64_t incoming_begin() const { return ready_bytes(ranks_.size()); }

  std::uint64_t incoming_bytes(LocalIndex elements) const {
    const int vectors = context_.vectors;
    return as_lines_ ? p2p::Lines::incoming_bytes(elements * vectors, context_.type)
                     : p2p::Chunks::incoming_bytes(elements, context_.type, vectors);
  }

  /// Collective.
  void lay_out_incoming() {
    for (const int rank : ranks_) {
      const HaloPlan::Receive* receive = message_of(near_.receives, rank);
      incoming_of_.push_back(incoming_bytes_);
      incoming_bytes_ += incoming_bytes(receive != nullptr ? receive->count : 0);
    }
    half_bytes_ = max_over_ranks(context_.comm, static_cast<std::int64_t>(incoming_bytes_));
    if (as_lines_) incoming_bytes_ = 2 * half_bytes_;
  }

  /// What peers write counts as that of the last exchange that is done.
  void start_counters() {
    const p2p::Counters counters{context_.exchanges, 0, 0, 0};
    copy_now(counters_.data(), &counters, sizeof counters);
    if (context_.exchanges == 0) return;
    const std::size_t bytes = incoming_begin() + incoming_bytes_ - ready_bytes(0);
    const std::vector<std::uint32_t> written(bytes / sizeof(std::uint32_t), context_.exchanges);
    copy_now(memory() + ready_bytes(0), written.data(), bytes);
  }

  /// As each peer is told.
  std::vector<PeerLayout> own_layouts() const {
    std::vector<PeerLayout> layouts;
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      layouts.push_back({layout_.first_bytes + context_.plan.owned * context_.element_bytes(),
                         layout_.stride_bytes, incoming_begin() + incoming_of_[k], ready_bytes(k)});
    }
    return layouts;
  }

  std::vector<p2p::Link> links_to(const std::vector<PeerLayout>& theirs) const {
    std::vector<p2p::Link> links;
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      const HaloPlan::Send* send = message_of(near_.sends, ranks_[k]);
      const HaloPlan::Receive* receive = message_of(near_.receives, ranks_[k]);
      std::byte* const base = mapped_.base_of(ranks_[k]);
      p2p::Link& link = links.emplace_back();
      link.rank = ranks_[k];
      link.incoming = base + theirs[k].incoming;
      link.ghosts = base + theirs[k].ghosts;
      link.stride_bytes = theirs[k].stride;
      link.ready = base + theirs[k].ready;
      if (send != nullptr) {
        link.sends_begin = send->begin;
        link.sends = send->count;
        link.ghosts += send->remote_begin * context_.element_bytes();
      }
      if (receive != nullptr) {
        link.receives_begin = receive->begin;
        link.receives = receive->count;
      }
    }
    return links;
  }

  std::vector<int> ranks_;                  ///< of the peers
  bool as_lines_;                           ///< else as chunks
  std::vector<std::uint64_t> incoming_of_;  ///< per peer: where what comes in from it begins
  std::uint64_t half_bytes_ = 0, incoming_bytes_ = 0;
  PeerMemory mapped_;
  PinnedMemory failure_;
  DeviceArray<p2p::Counters> counters_;
  std::optional<p2p::Lines> lines_;    ///< either this protocol
  std::optional<p2p::Chunks> chunks_;  ///< or that
  std::optional<StreamHandle> side_;
  std::optional<EventHandle> ready_, arrived_;
};

}  // namespace

std::string p2p_unusable(const ComputeSite& site) {
  if (site.device != Device::gpu) return "it needs GPUs; use mpi or mpi-persistent";
  if (site.shared) {
    return "several ranks share one GPU, where one that waits may keep the other from running; use "
           "one rank per GPU, or mpi";
  }
  if (!site.peer_refusal.empty()) {
    return fmt::format("GPUs of one host cannot store into each other's memory ({}); use nccl",
                       site.peer_refusal);
  }
  if ((site.nodes.nodes > 1 || site.hosts > 1) && !nccl_unusable(site).empty()) {
    return fmt::format("ranks of other nodes are reached by nccl: {}", nccl_unusable(site));
  }
  return {};
}

std::unique_ptr<HaloExchange> make_p2p_exchange(const TransportContext& context) {
  return std::make_unique<P2pExchange>(context);
}

}  // namespace rowhalo

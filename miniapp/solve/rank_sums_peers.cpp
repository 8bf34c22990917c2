// SPDX-License-Identifier: BSD-3-Clause
//
// Sums that kernels store into each other's GPU (kernels/vectors/over_ranks.hpp): the memory for
// them, mapped by CUDA IPC.
#include <stdexcept>

#include "miniapp/solve/rank_sums.hpp"

#ifdef ROWHALO_HAVE_CUDA

#include <fmt/format.h>

#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/halo/memory/peer_memory.hpp"

namespace rowhalo {

namespace {

class PeerRankSums final : public RankSums {
 public:
  PeerRankSums(const Comm& comm, const ComputeSite& site)
      : comm_(comm), limit_seconds_(0.8 * site.timeout_seconds) {
    take_resources(comm, "sums over ranks", [&] {
      memory_ = VectorMemory(Device::gpu, PeerSums::bytes(comm.size));
      counters_ = VectorMemory(Device::gpu, 2 * sizeof(std::uint32_t));
      failure_ = PinnedMemory(sizeof(PeerFailure));
      *failure() = {};
    });
    std::vector<int> peers;
    for (int rank = 0; rank < comm.size; ++rank) {
      if (rank != comm.rank) peers.push_back(rank);
    }
    mapped_ = PeerMemory(comm, memory_.data(), peers);
    std::vector<std::byte*> lines;
    for (int rank = 0; rank < comm.size; ++rank) {
      lines.push_back(rank == comm.rank ? memory_.data() : mapped_.base_of(rank));
    }
    lines_ = DeviceArray<std::byte*>(std::span<std::byte* const>(lines));
  }

  const char* name() const override { return "peer stores"; }
  bool on_device() const override { return true; }
  bool by_steps() const override { return true; }

  void introduce_peers(OverRanks& sums) const override {
    auto* counters = counters_.at<std::uint32_t>();
    sums.peers = {comm_.size, comm_.rank, lines_.data(), counters};
    sums.watch = {counters + 1, failure(), static_cast<std::uint64_t>(limit_seconds_ * 1e9)};
  }

  void check() const override {
    const volatile PeerFailure* seen = failure();
    if (seen->happened == 0) return;
    throw std::runtime_error(
        fmt::format("sums over ranks: rank {} has waited {:.0f} s for rank {} (reduction {}); it "
                    "may have died, or --timeout is too short",
                    comm_.rank, limit_seconds_, int{seen->rank}, std::uint32_t{seen->exchange}));
  }

  void close() override {
    synchronize_device();
    ROWHALO_MPI(MPI_Barrier(comm_.handle));  // nobody stores here any more
    mapped_.close();
    ROWHALO_MPI(MPI_Barrier(comm_.handle));  // nobody has this memory mapped any more
    memory_ = VectorMemory();
  }

 private:
  PeerFailure* failure() const { return failure_.at<PeerFailure>(); }

  Comm comm_;
  double limit_seconds_;  ///< before the watchdog, which knows less, ends the job
  VectorMemory memory_;   ///< lines that peers write
  VectorMemory counters_;
  PinnedMemory failure_;
  PeerMemory mapped_;
  DeviceArray<std::byte*> lines_;
};

}  // namespace

std::unique_ptr<RankSums> make_peer_sums(const Comm& comm, const ComputeSite& site) {
  return std::make_unique<PeerRankSums>(comm, site);
}

}  // namespace rowhalo

#endif

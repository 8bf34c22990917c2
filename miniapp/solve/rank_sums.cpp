// SPDX-License-Identifier: BSD-3-Clause
//
// Ways to add up sums (rank_sums.hpp), and the choice between them: one rank alone; MPI_Iallreduce
// on the host; kernels that store into each other's GPU, whose memory is mapped by CUDA IPC; NCCL
// on a stream of its own beside that of the solver.
#include "miniapp/solve/rank_sums.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "miniapp/halo/memory/memory.hpp"
#ifdef ROWHALO_HAVE_CUDA
#include "miniapp/halo/memory/peer_memory.hpp"
#endif
#ifdef ROWHALO_HAVE_NCCL
#include <cuda_runtime_api.h>

#include "miniapp/halo/nccl_communicator.hpp"
#include "miniapp/spmv/side_stream.hpp"
#endif

namespace rowhalo {

namespace {

class OneRank final : public RankSums {
 public:
  const char* name() const override { return "one rank"; }
  bool on_device() const override { return true; }
  bool by_steps() const override { return true; }
};

class MpiSums final : public RankSums {
 public:
  MpiSums(const Comm& comm, Device device) : comm_(comm), device_(device) {}

  const char* name() const override { return "MPI"; }
  bool on_device() const override { return device_ == Device::cpu; }

  void start(SumsView sums, int count, Stream stream) override {
    const SumWords words(sums, count);
    void* data = words.data;
    if (device_ == Device::gpu) {
      to_ = words.data;
      host_.resize(static_cast<std::size_t>(words.count));
      data = host_.data();
      synchronize(stream);
      copy_now(data, words.data, words.bytes());
    }
    ROWHALO_MPI(MPI_Iallreduce(MPI_IN_PLACE, data, static_cast<int>(words.count),
                               words.integers ? MPI_INT64_T : MPI_DOUBLE, MPI_SUM, comm_.handle,
                               &request_));
  }

  void finish(Stream) override {
    ROWHALO_MPI(MPI_Wait(&request_, MPI_STATUS_IGNORE));
    if (device_ == Device::gpu) copy_now(to_, host_.data(), host_.size() * sizeof(double));
  }

 private:
  Comm comm_;
  Device device_;
  void* to_ = nullptr;
  std::vector<double> host_;  ///< or integers of the same size
  MPI_Request request_ = MPI_REQUEST_NULL;
};

#ifdef ROWHALO_HAVE_CUDA
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
#endif

#ifdef ROWHALO_HAVE_NCCL
class NcclSums final : public RankSums {
 public:
  explicit NcclSums(const Comm& comm) { communicator_.open(comm, "sums over ranks by NCCL"); }

  const char* name() const override { return "NCCL"; }
  bool on_device() const override { return true; }

  void start(SumsView sums, int count, Stream stream) override {
    const SumWords words(sums, count);
    const auto side = static_cast<cudaStream_t>(side_.fork(stream).handle);
    ROWHALO_NCCL(ncclAllReduce(words.data, words.data, static_cast<std::size_t>(words.count),
                               words.integers ? ncclInt64 : ncclFloat64, ncclSum,
                               communicator_.get(), side));
  }

  void finish(Stream stream) override { side_.join(stream); }
  void check() const override { communicator_.check(); }
  void close() override {
    synchronize_device();
    communicator_.close();
  }

 private:
  NcclCommunicator communicator_;
  SideStream side_;
};
#endif

}  // namespace

std::unique_ptr<RankSums> make_rank_sums(const Comm& comm, const ComputeSite& site,
                                         std::string_view halo) {
  if (comm.size == 1) return std::make_unique<OneRank>();
  if (site.device == Device::gpu && !site.shared && (halo == "p2p" || halo == "nccl")) {
    const bool one_host = site.nodes.nodes == 1 && site.hosts == 1;
#ifdef ROWHALO_HAVE_CUDA
    if (one_host && site.peer_refusal.empty()) {
      return std::make_unique<PeerRankSums>(comm, site);
    }
#endif
#ifdef ROWHALO_HAVE_NCCL
    return std::make_unique<NcclSums>(comm);
#endif
  }
  return std::make_unique<MpiSums>(comm, site.device);
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The choice between ways to add up sums (rank_sums.hpp), and the two that need no device: one rank
// alone, and MPI_Iallreduce on the host.
#include "miniapp/solve/rank_sums.hpp"

#include <vector>

#include "miniapp/halo/memory/memory.hpp"

namespace rowhalo {

std::unique_ptr<RankSums> make_peer_sums(const Comm& comm, const ComputeSite& site);
std::unique_ptr<RankSums> make_nccl_sums(const Comm& comm);

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

}  // namespace

std::unique_ptr<RankSums> make_rank_sums(const Comm& comm, const ComputeSite& site,
                                         std::string_view halo) {
  if (comm.size == 1) return std::make_unique<OneRank>();
  if (site.device == Device::gpu && !site.shared && (halo == "p2p" || halo == "nccl")) {
    const bool one_host = site.nodes.nodes == 1 && site.hosts == 1;
#ifdef ROWHALO_HAVE_CUDA
    if (one_host && site.peer_refusal.empty()) return make_peer_sums(comm, site);
#endif
#ifdef ROWHALO_HAVE_NCCL
    return make_nccl_sums(comm);
#endif
  }
  return std::make_unique<MpiSums>(comm, site.device);
}

}  // namespace rowhalo

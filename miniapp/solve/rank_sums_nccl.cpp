// SPDX-License-Identifier: BSD-3-Clause
//
// Sums over ranks by NCCL, on a stream of its own beside that of the solver.
#include "miniapp/solve/rank_sums.hpp"

#ifdef ROWHALO_HAVE_NCCL

#include <cuda_runtime_api.h>

#include "miniapp/halo/nccl_communicator.hpp"
#include "miniapp/spmv/side_stream.hpp"

namespace rowhalo {

namespace {

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

}  // namespace

std::unique_ptr<RankSums> make_nccl_sums(const Comm& comm) {
  return std::make_unique<NcclSums>(comm);
}

}  // namespace rowhalo

#endif

// SPDX-License-Identifier: BSD-3-Clause
//
// An NCCL communicator of the ranks of an MPI one. For files of builds with NCCL only.
#pragma once

#include <fmt/format.h>
#include <nccl.h>

#include <cstdio>
#include <stdexcept>

#include "miniapp/halo/transports.hpp"

namespace rowhalo {

inline void check_nccl(ncclResult_t result, const char* call, const char* file, int line) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  throw std::runtime_error(fmt::format("{}:{}: {} failed: {} ({})", file, line, call,
                                       ncclGetErrorString(result), ncclGetLastError(nullptr)));
}
#define ROWHALO_NCCL(call) check_nccl((call), #call, __FILE__, __LINE__)

/// Collective to make and to close; the destructor of one that was not closed aborts it locally.
class NcclCommunicator {
 public:
  NcclCommunicator() = default;
  ~NcclCommunicator() {
    if (comm_ != nullptr && ncclCommAbort(comm_) != ncclSuccess) {
      std::fprintf(stderr, "ncclCommAbort failed\n");
    }
  }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  /// Throws AgreedError where NCCL refuses on some rank; `what` asked for it.
  void open(const Comm& comm, const char* what) {
    ncclUniqueId id{};
    take_resources(comm, what, [&] {
      if (comm.rank == 0) ROWHALO_NCCL(ncclGetUniqueId(&id));
    });
    meet(comm);
    ROWHALO_MPI(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm.handle));
    take_resources(comm, what,
                   [&] { ROWHALO_NCCL(ncclCommInitRank(&comm_, comm.size, id, comm.rank)); });
  }

  ncclComm_t get() const { return comm_; }
  /// Throws std::runtime_error when something has failed on the device.
  void check() const {
    ncclResult_t state = ncclSuccess;
    ROWHALO_NCCL(ncclCommGetAsyncError(comm_, &state));
    check_nccl(state, "a call on the device", __FILE__, __LINE__);
  }
  void close() {
    ROWHALO_NCCL(ncclCommDestroy(comm_));
    comm_ = nullptr;
  }

 private:
  ncclComm_t comm_ = nullptr;
};

}  // namespace rowhalo

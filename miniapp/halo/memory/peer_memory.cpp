// SPDX-License-Identifier: BSD-3-Clause
//
// CUDA IPC between the ranks of a host (peer_memory.hpp).
#include "miniapp/halo/memory/peer_memory.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <limits>

#include "kernels/gpu/device/check.hpp"
#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/halo/memory/node_memory.hpp"
#include "miniapp/halo/transports.hpp"

namespace rowhalo {

namespace {

/// What a rank tells its peers. Where CUDA gave no handle they learn that instead of waiting.
struct Offer {
  cudaIpcMemHandle_t handle;
  cudaError_t error;
};

}  // namespace

PeerMemory::PeerMemory(const Comm& comm, const std::byte* base, const std::vector<int>& peers) {
  Offer own{};
  own.error = cudaIpcGetMemHandle(&own.handle, const_cast<std::byte*>(base));
  const std::vector<Offer> offers = exchange_each(comm, peers, std::vector(peers.size(), own));
  const auto refusal = agreed_error(comm, [&] {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      void* mapped = nullptr;
      cudaError_t error = own.error != cudaSuccess ? own.error : offers[k].error;
      if (error == cudaSuccess) {
        error = cudaIpcOpenMemHandle(&mapped, offers[k].handle, cudaIpcMemLazyEnablePeerAccess);
      }
      if (error != cudaSuccess) {
        static_cast<void>(cudaGetLastError());  // not to be found by the next check
        throw InputError(fmt::format("GPU memory of rank {} cannot be mapped on rank {}: {}",
                                     peers[k], comm.rank, cudaGetErrorString(error)),
                         std::numeric_limits<std::int64_t>::max(), ExitCode::run_time);
      }
      mapped_[peers[k]].reset(static_cast<std::byte*>(mapped));
    }
  });
  if (!refusal) return;
  close();
  ROWHALO_MPI(MPI_Barrier(comm.handle));  // nobody frees what others have mapped
  throw *refusal;
}

void PeerMemory::Unmap::operator()(std::byte* base) const {
  ROWHALO_CUDA_PRINT(cudaIpcCloseMemHandle(base));
}

std::string peer_refusal(const Comm& comm, const NodeMap& nodes) {
  std::vector<int> peers = sharing_ranks(comm, nodes);
  std::erase(peers, comm.rank);
  const VectorMemory memory(Device::gpu, static_cast<std::size_t>(comm.size) * sizeof(int));
  std::string refusal;
  try {
    PeerMemory mapped(comm, memory.data(), peers);
    take_resources(comm, "a trial", [&] {
      for (const int peer : peers) {
        copy_now(mapped.base_of(peer) + comm.rank * sizeof(int), &comm.rank, sizeof(int));
      }
    });
    meet(comm);
    ROWHALO_MPI(MPI_Barrier(comm.handle));
    std::vector<int> written(static_cast<std::size_t>(comm.size));
    copy_now(written.data(), memory.data(), written.size() * sizeof(int));
    for (const int peer : peers) {
      if (refusal.empty() && written[peer] != peer) {
        refusal = fmt::format("what rank {} stored into the memory of rank {} did not arrive", peer,
                              comm.rank);
      }
    }
  } catch (const RankFailed&) {
    throw;
  } catch (const AgreedError& error) {
    refusal = error.what();
  }
  meet(comm);
  ROWHALO_MPI(MPI_Barrier(comm.handle));  // nobody frees what others have mapped
  for (const std::string& text : gather_texts(comm, refusal)) {
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace rowhalo

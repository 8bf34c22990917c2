// SPDX-License-Identifier: BSD-3-Clause
//
// GPUs and hosts of the ranks (site.hpp). MPI is asked for device addresses, then tried: a ring of
// small messages between device buffers.
#include "miniapp/halo/site.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/memory/node_memory.hpp"
#include "miniapp/halo/memory/peer_memory.hpp"

namespace rowhalo {

namespace {

constexpr const char* not_aware =
    "this MPI is not CUDA-aware: neither MPIX_Query_cuda_support() nor MPICH_GPU_SUPPORT_ENABLED=1 "
    "says so; use nccl or mpi";

bool enabled_by_environment() {
  const char* enabled = std::getenv("MPICH_GPU_SUPPORT_ENABLED");
  return enabled != nullptr && std::string_view(enabled) == "1";
}

bool says_yes() {
#ifdef MPIX_CUDA_AWARE_SUPPORT
  if (MPIX_Query_cuda_support() == 1) return true;
#endif
  return enabled_by_environment();
}

constexpr int trial_entries = 4096;

/// Every rank sends to the next; whether what comes from the one before is what it sent.
bool trial(const Comm& comm) {
  const int next = (comm.rank + 1) % comm.size, before = (comm.rank + comm.size - 1) % comm.size;
  const std::vector<int> sent(trial_entries, comm.rank + 1);
  const DeviceArray<int> from{std::span<const int>(sent)};
  const DeviceArray<int> to{std::span<const int>(std::vector<int>(trial_entries, 0))};
  meet(comm);
  ROWHALO_MPI(MPI_Sendrecv(from.data(), trial_entries, MPI_INT, next, 0, to.data(), trial_entries,
                           MPI_INT, before, 0, comm.handle, MPI_STATUS_IGNORE));
  return to.to_host() == std::vector<int>(trial_entries, before + 1);
}

}  // namespace

std::string device_messages_of_build() {
#ifdef MPIX_CUDA_AWARE_SUPPORT
  if (MPIX_CUDA_AWARE_SUPPORT == 1) return {};
#endif
  return enabled_by_environment() ? "" : not_aware;
}

std::string device_messages_refusal(const Comm& comm) {
  if (max_over_ranks(comm, std::int64_t{!says_yes()}) != 0) return not_aware;
  if (max_over_ranks(comm, std::int64_t{!trial(comm)}) != 0) {
    return "this MPI says that it is CUDA-aware, but a message between GPUs arrived wrong; use "
           "nccl or mpi";
  }
  return {};
}

int ranks_per_device(const Comm& comm) {
  std::map<std::string, int> ranks;
  int most = 0;
  const std::string own = host_name() + " " + describe_device(current_device()).uuid;
  for (const std::string& name : gather_texts(comm, own)) most = std::max(most, ++ranks[name]);
  return most;
}

ComputeSite compute_site(const Comm& comm, Device device) {
  ComputeSite site;
  site.device = device;
  site.nodes = node_map(comm, 0);
  site.hosts = site.nodes.nodes;
  site.shared_memory_refusal = shared_memory_refusal(comm, site.nodes);
  if (device == Device::cpu) return site;
  site.shared = ranks_per_device(comm) > 1;
  site.no_device_messages = device_messages_refusal(comm);
#ifdef ROWHALO_HAVE_CUDA
  if (comm.size > 1 && !site.shared) site.peer_refusal = peer_refusal(comm, site.nodes);
#endif
  return site;
}

}  // namespace rowhalo

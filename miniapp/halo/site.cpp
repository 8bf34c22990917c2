// SPDX-License-Identifier: BSD-3-Clause
//
// GPUs and hosts of the ranks (site.hpp).
#include "miniapp/halo/site.hpp"

#include <algorithm>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/device_messages.hpp"
#include "miniapp/halo/memory/node_memory.hpp"
#include "miniapp/halo/memory/peer_memory.hpp"

namespace rowhalo {

int ranks_per_device(const Comm& comm) {
  std::vector<std::string> names =
      gather_texts(comm, host_name() + " " + describe_device(current_device()).uuid);
  std::sort(names.begin(), names.end());
  int most = 0, run = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    run = k > 0 && names[k] == names[k - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
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

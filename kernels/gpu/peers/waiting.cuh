// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting inside a kernel for what another rank stores into this GPU's memory.
#pragma once

#include <cuda/atomic>

#include "kernels/gpu/peers/watch.hpp"

namespace rowhalo {

__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

/// Until `arrived` says so, or the limit has passed, which the host is told.
template <class Arrived>
__device__ void wait_until(const PeerWatch& watch, std::int32_t rank, std::uint32_t exchange,
                           std::uint32_t what, const Arrived& arrived) {
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> failed(*watch.failed);
  constexpr int spins_per_look = 256, spins_awake = 16;
  constexpr unsigned nap_nanoseconds = 100;  // many who look all the time are in the others' way
  std::uint64_t begin = 0;
  for (int spin = 1; !arrived(); ++spin) {
    if (spin > spins_awake) __nanosleep(nap_nanoseconds);
    if (spin % spins_per_look != 0) continue;
    if (failed.load(cuda::memory_order_relaxed) != 0) return;
    const std::uint64_t now = nanoseconds();
    if (begin == 0) begin = now;
    if (now - begin < watch.limit_nanoseconds) continue;
    if (failed.exchange(1, cuda::memory_order_relaxed) == 0) {
      watch.failure->rank = rank;
      watch.failure->exchange = exchange;
      watch.failure->waited_for = what;
      __threadfence_system();
      *static_cast<volatile std::uint32_t*>(&watch.failure->happened) = 1;
    }
    return;
  }
}

}  // namespace rowhalo

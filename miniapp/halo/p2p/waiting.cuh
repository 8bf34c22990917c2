// SPDX-License-Identifier: BSD-3-Clause
//
// What the kernels of both protocols of p2p share: one kernel per exchange. Exchanges e = 1, 2, ...
// are counted in device memory, so that graphs replay; the count only grows and may wrap.
//
// No block waits for entries before it has sent its own; waits for readiness end, because every
// rank signals that first. The next kernel in the stream may start early, but only once all thread
// blocks of this one are resident, so it cannot keep them out. A wait beyond the limit tells the
// host and lets everything behind it run on.
#pragma once

#include <cuda/atomic>

#include "kernels/gpu/device/early_start.cuh"
#include "kernels/gpu/device/launch.hpp"
#include "miniapp/halo/p2p/peers.hpp"

namespace rowhalo::p2p {

constexpr int block_threads = 256;

constexpr std::uint32_t entries = 1, readiness = 2;

__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

/// Until `arrived` says so, or the limit has passed, which the host is told.
template <class Arrived>
__device__ void wait_until(const Watch& watch, std::int32_t rank, std::uint32_t exchange,
                           std::uint32_t what, const Arrived& arrived) {
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> failed(watch.counters->failed);
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

/// The last block to call this counts the exchange.
__device__ inline void count_exchange(Counters* counters, std::uint32_t exchange,
                                      std::uint32_t last_slot) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (gridDim.x > 1 && atomicAdd(&counters->blocks, 1u) + 1 < gridDim.x) return;
  counters->blocks = 0;
  counters->exchanges = exchange;
  counters->last_slot = last_slot;
}

/// An entry of x as memory has it. x was written since this kernel was launched where it starts
/// early, and L1 may hold a line of x from before.
template <class Word>
__device__ Word load_past_l1(const Word* x) {
  if constexpr (sizeof(Word) == sizeof(unsigned long long)) {
    return __ldcg(reinterpret_cast<const unsigned long long*>(x));
  } else {
    return __ldcg(x);
  }
}

/// First of all: x is final, and the last exchange has been counted. The kernel behind may start
/// only then, so that its caches hold nothing older.
template <Start start>
__device__ void enter() {
  if constexpr (start == Start::early) {
    wait_for_stream();
    let_next_start();
  }
}

template <class Arguments>
void launch(void (*alone)(Arguments), void (*in_line)(Arguments), unsigned blocks,
            const Arguments& arguments, Place place, Stream stream) {
  static const bool early = [&] {  // one pair of kernels per type of arguments
    make_room_for_products(alone);
    make_room_for_products(in_line);
    return can_start_early(in_line);
  }();
  const bool starts_early = place == Place::in_line && early;
  launch_kernel(starts_early ? in_line : alone, blocks, block_threads,
                starts_early ? Start::early : Start::in_turn, arguments, native(stream));
}

}  // namespace rowhalo::p2p

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

#include "kernels/gpu/device/early_start.cuh"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/peers/waiting.cuh"
#include "miniapp/halo/p2p/peers.hpp"

namespace rowhalo::p2p {

/// A thread block with these and at most 32 registers each finds room on a multiprocessor beside
/// one of csr-balanced in fp64, which holds 80 registers of 768 threads to its end; two do not. So
/// beside these there is one on each multiprocessor, and none keeps out a product's. In other
/// precisions a product holds all registers: the sooner all is sent, the better.
constexpr int block_threads = 128, most_registers = 32;
constexpr int least_resident_blocks = (1 << 16) / (block_threads * most_registers);
inline unsigned blocks_beside_products(NumberType type) {
  constexpr unsigned many = 512;
  switch (type) {
    case NumberType::fp64:
      return static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
    case NumberType::fp32:
    case NumberType::fp16:
    case NumberType::bf16:
      break;
  }
  return many;
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
                starts_early ? Start::early : Start::in_turn, native(stream), arguments);
}

}  // namespace rowhalo::p2p

// SPDX-License-Identifier: BSD-3-Clause
//
// The two kernels of transport p2p. Exchange e = 1, 2, ... of a rank:
//   push: for each chunk: store x[send_indices[..]] into the ghosts of the peer, straight over
//         NVLink; behind the last chunk of a peer, store e into its counter `arrived`
//   wait: until `arrived` of every peer has reached e
// Every peer signals every peer, entries or not. A peer that has signalled e + 1 has done with the
// ghosts of exchange e, since its boundary rows come before; so when vectors alternate, a ghost is
// never overwritten while it is read. Where a vector is exchanged twice in a row (counters know,
// hence graphs too), each rank first says that it is ready, and chunks wait for that.
// Counters only grow and are compared by their difference, so that they may wrap. Stores of a block
// are ordered before its signal by a fence of the whole system; waiting acquires likewise. A wait
// that takes longer than the limit tells the host and lets everything behind it run on.
#include <cuda/atomic>

#include "kernels/gpu/check.hpp"
#include "miniapp/halo/p2p_kernels.hpp"

namespace rowhalo {

namespace {

constexpr int block_threads = 256;
constexpr unsigned most_blocks = 64;  // the interior rows want the device, too
constexpr std::uint32_t entries = 1, readiness = 2;

__device__ std::uint64_t nanoseconds() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__device__ void signal(std::uint32_t* counter, std::uint32_t value) {
  cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system>(*counter).store(
      value, cuda::memory_order_release);
}

/// Until the counter that a peer writes has reached `value`.
__device__ void wait_for(const PeerExchange& a, std::uint32_t* counter, std::uint32_t value,
                         std::uint32_t peer, std::uint32_t what) {
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system> written(*counter);
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> failed(a.counters->failed);
  constexpr int spins_a_look = 256;
  std::uint64_t begin = 0;
  for (int spin = 0;; ++spin) {
    const std::uint32_t seen = written.load(cuda::memory_order_acquire);
    if (static_cast<std::int32_t>(seen - value) >= 0) return;
    if (spin % spins_a_look != 0) continue;
    if (failed.load(cuda::memory_order_relaxed) != 0) return;
    const std::uint64_t now = nanoseconds();
    if (begin == 0) begin = now;
    if (now - begin < a.limit_nanoseconds) continue;
    if (failed.exchange(1, cuda::memory_order_relaxed) == 0) {
      a.failure->rank = a.peers[peer].rank;
      a.failure->exchange = value;
      a.failure->waited_for = what;
      __threadfence_system();
      *static_cast<volatile std::uint32_t*>(&a.failure->happened) = 1;
    }
    return;
  }
}

template <class Word>
__global__ void __launch_bounds__(block_threads)
    push(PeerExchange a, const Word* x, std::uint32_t slot) {
  const std::uint32_t exchange = a.counters->begun + 1;
  const bool same_vector = a.counters->last_slot == slot + 1;
  if (same_vector && blockIdx.x == 0) {
    for (std::uint32_t p = threadIdx.x; p < a.peer_count; p += block_threads) {
      signal(a.peers[p].ready, exchange);
    }
  }
  for (std::uint32_t c = blockIdx.x; c < a.chunk_count; c += gridDim.x) {
    const PeerChunk chunk = a.chunks[c];
    const Peer& peer = a.peers[chunk.peer];
    if (same_vector && chunk.count > 0) {
      if (threadIdx.x == 0)
        wait_for(a, a.ready + chunk.peer * counter_words, exchange, chunk.peer, readiness);
      __syncthreads();
    }
    Word* ghosts = reinterpret_cast<Word*>(peer.ghosts + slot * peer.stride_bytes) + chunk.first;
    const LocalIndex* indices = a.send_indices + chunk.begin;
    for (std::uint32_t k = threadIdx.x; k < chunk.count; k += block_threads) {
      ghosts[k] = x[indices[k]];
    }
    __syncthreads();
    if (threadIdx.x != 0) continue;
    __threadfence_system();
    const std::uint32_t stored = atomicAdd(a.stored + chunk.peer, 1u) + 1;
    if (stored == peer.chunks) {
      __threadfence_system();
      a.stored[chunk.peer] = 0;
      signal(peer.arrived, exchange);
    }
    if (atomicAdd(&a.counters->chunks, 1u) + 1 == a.chunk_count) {
      a.counters->chunks = 0;
      a.counters->begun = exchange;
      a.counters->last_slot = slot + 1;
    }
  }
}

__global__ void wait(PeerExchange a) {
  const std::uint32_t exchange = a.counters->finished + 1;
  for (std::uint32_t p = threadIdx.x; p < a.peer_count; p += blockDim.x) {
    wait_for(a, a.arrived + p * counter_words, exchange, p, entries);
  }
  __syncthreads();
  if (threadIdx.x == 0) a.counters->finished = exchange;
}

template <class Word>
void launch_push(const PeerExchange& exchange, const std::byte* x, int slot, Stream stream) {
  const unsigned blocks = exchange.chunk_count < most_blocks ? exchange.chunk_count : most_blocks;
  push<<<blocks, block_threads, 0, static_cast<cudaStream_t>(stream.handle)>>>(
      exchange, reinterpret_cast<const Word*>(x), static_cast<std::uint32_t>(slot));
}

}  // namespace

void push_to_peers(const PeerExchange& exchange, std::size_t element_bytes, const std::byte* x,
                   int slot, Stream stream) {
  if (element_bytes == sizeof(std::uint64_t)) {
    launch_push<std::uint64_t>(exchange, x, slot, stream);
  } else if (element_bytes == sizeof(std::uint32_t)) {
    launch_push<std::uint32_t>(exchange, x, slot, stream);
  } else {
    launch_push<std::uint16_t>(exchange, x, slot, stream);
  }
  ROWHALO_CUDA(cudaGetLastError());
}

void wait_for_peers(const PeerExchange& exchange, Stream stream) {
  wait<<<1, 32, 0, static_cast<cudaStream_t>(stream.handle)>>>(exchange);
  ROWHALO_CUDA(cudaGetLastError());
}

}  // namespace rowhalo

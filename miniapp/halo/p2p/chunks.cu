// SPDX-License-Identifier: BSD-3-Clause
//
// Chunks, for large halos: in exchange e entries are stored straight into the receiver's ghosts. A
// chunk is at most 1024 entries of one message, sent by one thread block (128 threads, 8 entries
// each). Only thread block 0 then waits for the incoming flags.
//
//     rank A                                   rank B
//     store entries into ghosts of B --------> (nothing to do)
//     fence, one for all chunks of a thread block
//     store e into the flags of its chunks --> spin until all flags are at least e;
//                                              boundary rows follow
//     spin on own flags <--------------------- store e into the flags of its chunks
//
//   Why A may overwrite ghosts of B, if consecutive exchanges use different vectors (u, v, u, ...):
//     1. A stores into u in exchange e + 2 after it has all flags of e + 1;
//     2. B sets the flags of e + 1 in A's memory only after B's boundary rows of e, because its
//     exchange kernel waits for them in stream order;
//     3. only these rows of e read the ghosts of u.
//     If a vector is exchanged twice in a row, each rank first tells its peers that it is ready,
//     and chunks wait for that.
#include <algorithm>

#include "miniapp/halo/element_word.hpp"
#include "miniapp/halo/p2p/chunks.hpp"
#include "miniapp/halo/p2p/waiting.cuh"

namespace rowhalo::p2p {

namespace {

/// Only the first thread block waits for entries.
unsigned most_sending_blocks(Place place, NumberType type) {
  return place == Place::alone ? blocks_beside_products(type) : 2048;
}

/// Entries that a thread has under way. More take more registers, and fewer thread blocks at once
/// take longer: of rmat:22 on 4 H200s 44 us are exposed, with 8 entries 50.
constexpr int at_once = 4;

/// Chunks of a message, each with a flag; one where there are no entries, to signal.
constexpr LocalIndex chunks_of(LocalIndex entries) {
  return std::max<LocalIndex>(1, (entries + chunk_entries - 1) / chunk_entries);
}

__device__ void signal(std::uint32_t* counter, std::uint32_t value) {
  cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system>(*counter).store(
      value, cuda::memory_order_release);
}

__device__ bool reached(std::uint32_t* counter, std::uint32_t value) {
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system> written(*counter);
  return static_cast<std::int32_t>(written.load(cuda::memory_order_acquire) - value) >= 0;
}

template <class Word>
struct ChunkArguments {
  ChunkTables tables;
  const Word* x;
  std::uint32_t slot;
};

template <class Word, Start start>
__global__ void __launch_bounds__(block_threads, least_resident_blocks)
    exchange_by_chunks(ChunkArguments<Word> arguments) {
  enter<start>();
  const ChunkTables& a = arguments.tables;
  const Word* const x = arguments.x;
  const std::uint32_t slot = arguments.slot;
  const std::uint32_t exchange = a.watch.counters->exchanges + 1;
  const bool same_vector = a.watch.counters->last_slot == slot + 1;
  if (same_vector && blockIdx.x == 0) {
    for (std::uint32_t p = threadIdx.x; p < a.peer_count; p += block_threads) {
      signal(a.peers[p].ready, exchange);
    }
  }
  for (std::uint32_t c = blockIdx.x; c < a.chunk_count; c += gridDim.x) {
    const Chunk chunk = a.chunks[c];
    if (same_vector && chunk.count > 0) {
      if (threadIdx.x == 0) {
        wait_until(a.watch, a.peers[chunk.peer].rank, exchange, readiness,
                   [&] { return reached(a.ready + chunk.peer * counter_words, exchange); });
      }
      __syncthreads();
    }
    Word* ghosts = reinterpret_cast<Word*>(chunk.ghosts + slot * chunk.stride_bytes);
    for (std::uint32_t first = threadIdx.x; first < chunk.count; first += at_once * block_threads) {
      // All loads before the first store, which they could not overtake.
      Word words[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        const std::uint32_t k = first + u * block_threads;
        if (k < chunk.count) words[u] = load_past_l1(x + a.send_indices[chunk.begin + k]);
      }
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        const std::uint32_t k = first + u * block_threads;
        if (k < chunk.count) ghosts[k] = words[u];
      }
    }
  }
  // A release waits until all stores of the thread block have arrived, and the receiver waits for
  // all chunks anyway: once is enough.
  __syncthreads();
  for (std::uint32_t c = blockIdx.x + threadIdx.x * gridDim.x; c < a.chunk_count;
       c += block_threads * gridDim.x) {
    signal(a.chunks[c].arrived, exchange);
  }
  if (blockIdx.x == 0) {
    for (std::uint32_t k = threadIdx.x; k < a.arrivals; k += block_threads) {
      wait_until(a.watch, a.arrived_from[k], exchange, entries,
                 [&] { return reached(a.arrived + k, exchange); });
    }
  }
  count_exchange(a.watch.counters, exchange, slot + 1);
}

}  // namespace

std::uint64_t Chunks::incoming_bytes(LocalIndex entries) {
  return chunks_of(entries) * sizeof(std::uint32_t);
}

Chunks::Chunks(const std::vector<Link>& links, std::span<const LocalIndex> send_indices,
               NumberType type, std::byte* incoming, std::byte* ready, const Watch& watch)
    : type_(type) {
  std::vector<Peer> peers;
  std::vector<Chunk> chunks;
  std::vector<std::int32_t> arrived_from;
  for (const Link& link : links) {
    const auto peer = static_cast<std::uint32_t>(peers.size());
    auto* arrived = reinterpret_cast<std::uint32_t*>(link.incoming);
    peers.push_back({reinterpret_cast<std::uint32_t*>(link.ready), link.rank});
    for (LocalIndex i = 0; i < chunks_of(link.sends); ++i) {
      const LocalIndex first = i * chunk_entries;
      chunks.push_back({link.ghosts + first * bytes_of(type), link.stride_bytes, arrived + i,
                        static_cast<std::uint32_t>(link.sends_begin + first),
                        static_cast<std::uint32_t>(std::min(chunk_entries, link.sends - first)),
                        peer});
    }
    arrived_from.insert(arrived_from.end(), chunks_of(link.receives), link.rank);
  }
  peers_ = DeviceArray<Peer>(std::span<const Peer>(peers));
  chunks_ = DeviceArray<Chunk>(std::span<const Chunk>(chunks));
  indices_ = DeviceArray<LocalIndex>(send_indices);
  arrived_from_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(arrived_from));
  tables_ = {peers_.data(),
             static_cast<std::uint32_t>(peers.size()),
             chunks_.data(),
             static_cast<std::uint32_t>(chunks.size()),
             indices_.data(),
             reinterpret_cast<std::uint32_t*>(incoming),
             arrived_from_.data(),
             static_cast<std::uint32_t>(arrived_from.size()),
             reinterpret_cast<std::uint32_t*>(ready),
             watch};
}

void Chunks::exchange(const HaloVector& x, Place place, Stream stream) const {
  const unsigned blocks =
      std::min<unsigned>(tables_.chunk_count, most_sending_blocks(place, type_));
  with_element_word(type_, [&]<class Word>(Word) {
    const ChunkArguments<Word> arguments{tables_, reinterpret_cast<const Word*>(x.data),
                                         static_cast<std::uint32_t>(x.slot)};
    launch(exchange_by_chunks<Word, Start::in_turn>, exchange_by_chunks<Word, Start::early>, blocks,
           arguments, place, stream);
  });
}

}  // namespace rowhalo::p2p

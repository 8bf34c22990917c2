// SPDX-License-Identifier: BSD-3-Clause
//
// Chunks, for large halos: in exchange e entries are stored straight into the receiver's ghosts. A
// chunk is at most 1024 words of one message, sent by one thread block (128 threads, 8 words
// each); an entry is a word, those of several vectors are one or a few (wide_word.cuh). Only thread
// block 0 then waits for the incoming flags.
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

#include "miniapp/halo/p2p/chunks.hpp"
#include "miniapp/halo/p2p/waiting.cuh"
#include "miniapp/halo/wide_word.cuh"

namespace rowhalo::p2p {

namespace {

/// Only the first thread block waits for entries.
unsigned most_sending_blocks(Place place, NumberType type) {
  return place == Place::alone ? blocks_beside_products(type) : 2048;
}

/// Words that a thread has under way. More take more registers, and fewer thread blocks at once
/// take longer: of rmat:22 on 4 H200s 44 us are exposed, with 8 entries 50.
template <class Word>
constexpr int at_once = sizeof(Word) > 8 ? 2 : 4;

/// Elements that a chunk holds.
LocalIndex elements_of_chunk(NumberType type, int vectors) {
  return with_wide_words(type, vectors, [](auto, unsigned words) {
    return std::max<LocalIndex>(1, chunk_words / static_cast<LocalIndex>(words));
  });
}

/// Chunks of a message, each with a flag; one where there are no elements, to signal.
LocalIndex chunks_of(LocalIndex elements, LocalIndex in_chunk) {
  return std::max<LocalIndex>(1, (elements + in_chunk - 1) / in_chunk);
}

/// An element is one word, or several.
enum class Elements { words, longer };

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
  std::uint32_t words;  ///< of an element
};

/// Where word k of a chunk stands in x.
template <Elements elements, class Word>
__device__ const Word* source_of(const ChunkArguments<Word>& a, std::uint32_t begin,
                                 std::uint32_t k) {
  const LocalIndex* indices = a.tables.send_indices;
  if constexpr (elements == Elements::words) {
    return a.x + indices[begin + k];
  } else {
    return a.x + std::int64_t{indices[begin + k / a.words]} * a.words + k % a.words;
  }
}

template <class Word, Elements elements, Start start>
__global__ void __launch_bounds__(block_threads, least_resident_blocks)
    exchange_by_chunks(ChunkArguments<Word> arguments) {
  enter<start>();
  const ChunkTables& a = arguments.tables;
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
    const std::uint32_t count = chunk.count * (elements == Elements::words ? 1 : arguments.words);
    for (std::uint32_t first = threadIdx.x; first < count; first += at_once<Word> * block_threads) {
      // All loads before the first store, which they could not overtake.
      Word words[at_once<Word>];
#pragma unroll
      for (int u = 0; u < at_once<Word>; ++u) {
        const std::uint32_t k = first + u * block_threads;
        if (k < count) words[u] = load_past_l1(source_of<elements>(arguments, chunk.begin, k));
      }
#pragma unroll
      for (int u = 0; u < at_once<Word>; ++u) {
        const std::uint32_t k = first + u * block_threads;
        if (k < count) ghosts[k] = words[u];
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

std::uint64_t Chunks::incoming_bytes(LocalIndex elements, NumberType type, int vectors) {
  return chunks_of(elements, elements_of_chunk(type, vectors)) * sizeof(std::uint32_t);
}

Chunks::Chunks(const std::vector<Link>& links, std::span<const LocalIndex> send_indices,
               NumberType type, int vectors, std::byte* incoming, std::byte* ready,
               const Watch& watch)
    : type_(type) {
  const LocalIndex in_chunk = elements_of_chunk(type, vectors);
  const std::size_t element_bytes = vectors * bytes_of(type);
  std::vector<Peer> peers;
  std::vector<Chunk> chunks;
  std::vector<std::int32_t> arrived_from;
  for (const Link& link : links) {
    const auto peer = static_cast<std::uint32_t>(peers.size());
    auto* arrived = reinterpret_cast<std::uint32_t*>(link.incoming);
    peers.push_back({reinterpret_cast<std::uint32_t*>(link.ready), link.rank});
    for (LocalIndex i = 0; i < chunks_of(link.sends, in_chunk); ++i) {
      const LocalIndex first = i * in_chunk;
      chunks.push_back({link.ghosts + first * element_bytes, link.stride_bytes, arrived + i,
                        static_cast<std::uint32_t>(link.sends_begin + first),
                        static_cast<std::uint32_t>(std::min(in_chunk, link.sends - first)), peer});
    }
    arrived_from.insert(arrived_from.end(), chunks_of(link.receives, in_chunk), link.rank);
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
  with_wide_words(type_, x.vectors, [&]<class Word>(Word, unsigned words) {
    const ChunkArguments<Word> arguments{tables_, reinterpret_cast<const Word*>(x.data),
                                         static_cast<std::uint32_t>(x.slot), words};
    const auto start = [&]<Elements elements>() {
      launch(exchange_by_chunks<Word, elements, Start::in_turn>,
             exchange_by_chunks<Word, elements, Start::early>, blocks, arguments, place, stream);
    };
    if (words == 1) {
      start.template operator()<Elements::words>();
    } else {
      start.template operator()<Elements::longer>();
    }
  });
}

}  // namespace rowhalo::p2p

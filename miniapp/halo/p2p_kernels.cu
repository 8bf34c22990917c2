// SPDX-License-Identifier: BSD-3-Clause
//
// The two protocols of transport p2p, each one kernel per exchange. Exchanges e = 1, 2, ... are
// counted in device memory, so that graphs replay; the count only grows and may wrap.
//
// Lines, for small halos: an entry travels in one store of 8 or 16 bytes that also holds e, to a
// place of its own in the receiver's memory (NCCL calls this LL).
//
//     rank A                                   rank B
//     store {x[i], e} -----------------------> lines of parity e % 2: spin until they hold e
//                                              ghost = entry; boundary rows read the ghosts
//     spin on own lines <--------------------- store {x[j], e}
//
//   No fence is needed, since a line that holds e holds the entry: this spares a trip over NVLink
//   and back. Lines of even and odd exchanges lie apart. Why A may overwrite lines of e with e + 2:
//     1. every peer sends to every peer (an empty line where there are no entries);
//     2. A writes e + 2 after it has read all lines of e + 1;
//     3. B has written its lines of e + 1 after it had read all lines of e.
//     Hence, B has read the lines of e.
//
// Chunks, for large halos: entries are stored straight into the receiver's ghosts.
//
//     rank A                                   rank B
//     store entries into ghosts of B --------> (nothing to do)
//     fence
//     store e into the chunk's flag ---------> spin until all flags hold e; boundary rows follow
//     spin on own flags <--------------------- store e into the chunk's flag
//
//   Why A may overwrite ghosts of B, if consecutive exchanges use different vectors (u, v, u, ...):
//     1. A stores into u in exchange e + 2 after it has all flags of e + 1;
//     2. B has set its flags of e + 1 after its boundary rows of e, which are earlier in its
//     stream;
//     3. only these rows of e read the ghosts of u.
//     If a vector is exchanged twice in a row, each rank first tells its peers that it is ready,
//     and chunks wait for that.
//
// No block waits for entries before it has sent its own; waits for readiness end, because every
// rank signals that first. The next kernel in the stream may start early, but only once all blocks
// of this one are resident, so it cannot keep them out. A wait beyond the limit tells the host and
// lets everything behind it run on.
#include <algorithm>
#include <cuda/atomic>

#include "kernels/gpu/device/early_start.cuh"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/words.hpp"
#include "miniapp/halo/p2p_kernels.hpp"

namespace rowhalo {

namespace {

constexpr int block_threads = 256;

/// More blocks than that would leave no room for interior rows.
constexpr unsigned most_waiting_blocks = 256;

/// Of chunks only the first block waits for entries. Interior rows want the device, too, where they
/// do not wait anyhow.
constexpr unsigned most_sending_blocks(Place place) {
  return place == Place::alone ? 256 : 1024;
}

constexpr std::uint32_t entries = 1, readiness = 2;

__device__ std::uint64_t nanoseconds() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

/// Until `arrived` says so, or the limit has passed, which the host is told.
template <class Arrived>
__device__ void wait_until(const PeerWatch& watch, std::int32_t rank, std::uint32_t exchange,
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
__device__ void count_exchange(PeerCounters* counters, std::uint32_t exchange,
                               std::uint32_t last_slot) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (gridDim.x > 1 && atomicAdd(&counters->blocks, 1u) + 1 < gridDim.x) return;
  counters->blocks = 0;
  counters->exchanges = exchange;
  counters->last_slot = last_slot;
}

__device__ void put(std::byte* line, std::uint64_t word, std::uint32_t exchange) {
  const std::uint64_t low = word << 32 | exchange;
  const std::uint64_t high = (word >> 32) << 32 | exchange;
  asm volatile("st.relaxed.sys.global.v2.b64 [%0], {%1, %2};" ::"l"(line), "l"(low), "l"(high)
               : "memory");
}
template <class Word>
__device__ void put(std::byte* line, Word word, std::uint32_t exchange) {
  const std::uint64_t both = std::uint64_t{word} << 32 | exchange;
  asm volatile("st.relaxed.sys.global.b64 [%0], %1;" ::"l"(line), "l"(both) : "memory");
}

__device__ bool taken(const std::byte* line, std::uint32_t exchange, std::uint64_t& word) {
  std::uint64_t low, high;
  asm volatile("ld.relaxed.sys.global.v2.b64 {%0, %1}, [%2];"
               : "=l"(low), "=l"(high)
               : "l"(line)
               : "memory");
  word = low >> 32 | (high >> 32) << 32;
  return static_cast<std::uint32_t>(low) == exchange &&
         static_cast<std::uint32_t>(high) == exchange;
}
template <class Word>
__device__ bool taken(const std::byte* line, std::uint32_t exchange, Word& word) {
  std::uint64_t both;
  asm volatile("ld.relaxed.sys.global.b64 %0, [%1];" : "=l"(both) : "l"(line) : "memory");
  word = static_cast<Word>(both >> 32);
  return static_cast<std::uint32_t>(both) == exchange;
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

template <class Word>
struct LineArguments {
  LineExchange exchange;
  const Word* x;
  Word* ghosts;
};

template <class Word, Start start>
__global__ void __launch_bounds__(block_threads) exchange_by_lines(LineArguments<Word> arguments) {
  const LineExchange& a = arguments.exchange;
  const Word* const x = arguments.x;
  const std::uint32_t first = blockIdx.x * block_threads + threadIdx.x;
  const std::uint32_t stride = gridDim.x * block_threads;
  // Mostly all that the thread has; nobody writes them, so they may come before all else.
  LineRoute route = first < a.sends ? a.routes[first] : LineRoute{};
  LineLanding landing = first < a.receives ? a.landings[first] : LineLanding{};
  enter<start>();
  const std::uint32_t exchange = a.watch.counters->exchanges + 1;
  const std::uint64_t half = exchange % 2 * a.half_bytes;
  for (std::uint32_t k = first; k < a.sends; k += stride) {
    if (k != first) route = a.routes[k];
    put(route.to + half, route.from < 0 ? Word{0} : load_past_l1(x + route.from), exchange);
  }
  for (std::uint32_t k = first; k < a.receives; k += stride) {
    if (k != first) landing = a.landings[k];
    const std::byte* line = a.lines + half + k * line_bytes(sizeof(Word));
    Word word{};
    wait_until(a.watch, landing.rank, exchange, entries,
               [&] { return taken(line, exchange, word); });
    if (landing.ghost >= 0) arguments.ghosts[landing.ghost] = word;
  }
  count_exchange(a.watch.counters, exchange, 0);
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
  ChunkExchange exchange;
  const Word* x;
  std::uint32_t slot;
};

template <class Word, Start start>
__global__ void __launch_bounds__(block_threads)
    exchange_by_chunks(ChunkArguments<Word> arguments) {
  enter<start>();
  const ChunkExchange& a = arguments.exchange;
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
    const PeerChunk chunk = a.chunks[c];
    if (same_vector && chunk.count > 0) {
      if (threadIdx.x == 0) {
        wait_until(a.watch, a.peers[chunk.peer].rank, exchange, readiness,
                   [&] { return reached(a.ready + chunk.peer * counter_words, exchange); });
      }
      __syncthreads();
    }
    // All loads before the first store, which they could not overtake.
    constexpr int per_thread = p2p_chunk / block_threads;
    Word words[per_thread];
#pragma unroll
    for (int u = 0; u < per_thread; ++u) {
      const std::uint32_t k = u * block_threads + threadIdx.x;
      if (k < chunk.count) words[u] = load_past_l1(x + a.send_indices[chunk.begin + k]);
    }
    Word* ghosts = reinterpret_cast<Word*>(chunk.ghosts + slot * chunk.stride_bytes);
#pragma unroll
    for (int u = 0; u < per_thread; ++u) {
      const std::uint32_t k = u * block_threads + threadIdx.x;
      if (k < chunk.count) ghosts[k] = words[u];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence_system();
      signal(chunk.arrived, exchange);
    }
  }
  if (blockIdx.x == 0) {
    for (std::uint32_t k = threadIdx.x; k < a.arrivals; k += block_threads) {
      wait_until(a.watch, a.arrived_from[k], exchange, entries,
                 [&] { return reached(a.arrived + k, exchange); });
    }
  }
  count_exchange(a.watch.counters, exchange, slot + 1);
}

template <class Arguments>
void launch(void (*alone)(Arguments), void (*in_line)(Arguments), unsigned blocks,
            const Arguments& arguments, Place place, Stream stream) {
  static const bool early = [&] {  // one pair of kernels a type of arguments
    make_room_for_products(alone);
    make_room_for_products(in_line);
    return can_start_early(in_line);
  }();
  const bool starts_early = place == Place::in_line && early;
  launch_kernel(starts_early ? in_line : alone, blocks, block_threads,
                starts_early ? Start::early : Start::in_turn, arguments, native(stream));
}

/// Blocks that wait for lines must all find room on the device: one that does not has not sent what
/// a peer's may wait for. So many do as soon as interior rows make room.
template <class Arguments>
unsigned waiting_blocks(void (*alone)(Arguments), void (*in_line)(Arguments)) {
  static const unsigned resident = [&] {  // one pair of kernels a type of arguments
    int blocks = 0, blocks_in_line = 0;
    ROWHALO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, alone, block_threads, 0));
    ROWHALO_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_in_line, in_line, block_threads, 0));
    return static_cast<unsigned>(std::min(blocks, blocks_in_line) *
                                 device_attribute(cudaDevAttrMultiProcessorCount));
  }();
  return std::min(resident, most_waiting_blocks);
}

}  // namespace

void exchange_lines(const LineExchange& exchange, std::size_t element_bytes, const std::byte* x,
                    std::byte* ghosts, Place place, Stream stream) {
  const std::uint32_t most = std::max(exchange.sends, exchange.receives);
  with_word(element_bytes, [&]<class Word>(Word) {
    const unsigned blocks = std::min(blocks_for(most, block_threads),
                                     waiting_blocks(exchange_by_lines<Word, Start::in_turn>,
                                                    exchange_by_lines<Word, Start::early>));
    const LineArguments<Word> arguments{exchange, reinterpret_cast<const Word*>(x),
                                        reinterpret_cast<Word*>(ghosts)};
    launch(exchange_by_lines<Word, Start::in_turn>, exchange_by_lines<Word, Start::early>, blocks,
           arguments, place, stream);
  });
}

void exchange_chunks(const ChunkExchange& exchange, std::size_t element_bytes, const std::byte* x,
                     int slot, Place place, Stream stream) {
  const unsigned blocks = std::min<unsigned>(exchange.chunk_count, most_sending_blocks(place));
  with_word(element_bytes, [&]<class Word>(Word) {
    const ChunkArguments<Word> arguments{exchange, reinterpret_cast<const Word*>(x),
                                         static_cast<std::uint32_t>(slot)};
    launch(exchange_by_chunks<Word, Start::in_turn>, exchange_by_chunks<Word, Start::early>, blocks,
           arguments, place, stream);
  });
}

}  // namespace rowhalo

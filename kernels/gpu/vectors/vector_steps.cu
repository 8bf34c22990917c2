// SPDX-License-Identifier: BSD-3-Clause
//
// Vector steps on a GPU (vector_steps.hpp): a grid that fills the device strides over the rows.
// Fast sums: a tree over each thread block, whose sum goes to parts[k][block]; whoever does what
// there is to do over ranks (over_ranks.hpp), the last block to end or a kernel of its own, adds
// those up, in a fixed order (strided over the lanes of a warp, then a tree). Reproducible sums:
// threads and warps add without rounding (expansion.cuh), thread blocks in an accumulator per sum
// in shared memory, which they add, normalized, to that of the device; integers may be added in any
// order.
//
//   row      0 1 2 ... 255 | 256 ... 511 | ...     thread blocks 0, 1, 2, ... in turn
//   block b  terms of its rows -> sum (a tree) -> parts[k][b]
//   last     parts[k][0] + parts[k][1] + ... -> values[k] -> other ranks -> scalars
//
// Bytes: what a step reads and writes per row, 8 per vector; sums are nothing beside them.
#include <algorithm>

#include "kernels/gpu/device/early_start.cuh"
#include "kernels/gpu/device/runtime.hpp"
#include "kernels/gpu/peers/lines.cuh"
#include "kernels/gpu/peers/waiting.cuh"
#include "kernels/gpu/vectors/expansion.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"
#include "kernels/vectors/run_step.hpp"

namespace rowhalo {
namespace {

/// Most thread blocks of a step, and so the parts of its sums.
int parts_of(std::int64_t rows) {
  constexpr int rows_per_thread = 2;  // at least: more blocks would only have more sums to add
  return static_cast<int>(std::clamp(blocks_for(rows, conversion_threads * rows_per_thread), 1u,
                                     unsigned{SumsView::most_parts}));
}

/// Blocks on a multiprocessor that steps of few vectors need for all its bandwidth; steps of many
/// have enough loads under way with fewer, and need the registers.
template <class Step>
constexpr int least_resident = sizeof(Step) <= 64   ? 8
                               : sizeof(Step) <= 96 ? 6
                                                    : 4;

/// First of all, by every thread: steps start early (early_start.cuh), since an iteration is a
/// chain of kernels of which each takes a microsecond to launch.
__device__ void begin_step() {
  wait_for_stream();
  let_next_start();
}

/// Whether a solver has come to its end: then nothing changes any more.
__device__ bool is_over(const double* ended) {
  return ended != nullptr && *ended != 0;
}

/// The rows of a sweep, and whether it is one any more.
struct Sweep {
  std::int64_t rows;
  const double* ended;
  bool backward;

  explicit Sweep(const VectorSpace& space)
      : rows(space.rows), ended(space.ended), backward(space.backward) {}

  /// work(i) for every row of this thread. Rows under way together disturb each other: with two an
  /// iteration of cg-one-reduction takes 2 % longer, with four 20 %.
  template <class Work>
  __device__ void for_each_row(const Work& work) const {
    const std::int64_t stride = std::int64_t{gridDim.x} * conversion_threads;
    const std::int64_t last = rows - 1;
#pragma unroll 1
    for (std::int64_t k = thread_index(); k < rows; k += stride) work(backward ? last - k : k);
  }
};

template <class Step>
__global__ void update_rows(Step step, Sweep sweep) {
  begin_step();
  // Under way together with the look at the end.
  if constexpr (requires { step.load(); }) step.load();
  if (is_over(sweep.ended)) return;
  sweep.for_each_row([&](std::int64_t i) { step(i); });
}

/// Sums of the threads of a block, each in thread 0.
template <int count>
__device__ void sum_over_block(double (&sums)[count]) {
  constexpr int warps = conversion_threads / warp_size;
  __shared__ double of_warps[count][warps];
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  for (int k = 0; k < count; ++k) {
    sums[k] = sum_of_lanes(sums[k]);
    if (lane == 0) of_warps[k][warp] = sums[k];
  }
  __syncthreads();
  if (warp != 0) return;
  for (int k = 0; k < count; ++k) {
    sums[k] = sum_of_lanes<warps>(lane < warps ? of_warps[k][lane] : 0);
  }
}

/// By all threads of one block: the sums of this rank from their parts, a warp each.
__device__ void add_parts(const OverRanks& a, double* sums, int parts) {
  static_assert(most_reduced - 1 <= conversion_threads / warp_size);
  constexpr int at_once = 8;  // loads under way
  const int lane = threadIdx.x % warp_size, k = 1 + threadIdx.x / warp_size;
  if (k >= a.count) return;
  const double* of_blocks = a.sums.parts + k * SumsView::most_parts;
  double sum = 0;
  for (int first = lane; first < parts; first += at_once * warp_size) {
    double loaded[at_once];
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      const int b = first + j * warp_size;
      loaded[j] = b < parts ? __ldcg(of_blocks + b) : 0;
    }
#pragma unroll
    for (int j = 0; j < at_once; ++j) sum += loaded[j];
  }
  sum = sum_of_lanes(sum);
  if (lane == 0) sums[k] = sum;
}

template <class Word>
__device__ void send_to_peers(const PeerSums& peers, const Word* words, int count,
                              std::uint32_t reduction) {
  for (int k = threadIdx.x; k < count * peers.ranks; k += conversion_threads) {
    const int to = k / count, w = k % count;
    if (to == peers.rank) continue;
    std::byte* line =
        peers.lines[to] + peers.begin(reduction, peers.rank) + w * PeerSums::line_bytes;
    const Word word = words[w];
    put_line(line, *reinterpret_cast<const std::uint64_t*>(&word), reduction);
  }
}

template <class Word>
__device__ void add_peers(const OverRanks& a, Word* words, int count, std::uint32_t reduction) {
  const PeerSums& peers = a.peers;
  for (int w = threadIdx.x; w < count; w += conversion_threads) {
    Word sum = 0;
    for (int from = 0; from < peers.ranks; ++from) {
      Word word = words[w];
      if (from != peers.rank) {
        const std::byte* line =
            peers.lines[peers.rank] + peers.begin(reduction, from) + w * PeerSums::line_bytes;
        std::uint64_t taken = 0;
        wait_until(a.watch, from, reduction, 0, [&] { return take_line(line, reduction, taken); });
        word = *reinterpret_cast<const Word*>(&taken);
      }
      sum = from == 0 ? word : sum + word;
    }
    words[w] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) *peers.reductions = reduction;
}

/// The scalar step, and the verdict where an iteration ends.
__device__ void decide(const OverRanks& a, const double* sums, double* scalars) {
  const bool ends_iteration = a.step.run(sums + 1, scalars);
  if (!ends_iteration || a.judge.norms == nullptr) return;
  const SolverEnd end =
      judge(a.judge, scalars, sums[0] > 0, static_cast<std::int64_t>(nanoseconds()));
#if CUDART_VERSION >= 12040
  if (a.judge.loop != 0) cudaGraphSetConditional(a.judge.loop, end == SolverEnd::none ? 1 : 0);
#endif
}

/// By all threads of one block, when the sums of this rank are there, in so many parts each.
/// Inlined: as a call it takes 0.5 us more per reduction, the registers saved and loaded.
template <Summation summation>
__device__ __forceinline__ void work_over_ranks(const OverRanks& a, int parts) {
  constexpr bool fast = summation == Summation::fast;
  // What one thread works on alone lies in shared memory: it has no time for trips to L2.
  __shared__ double sums[most_reduced], scalars[scalar_count];
  // The words of a reduction: doubles, in shared memory, or limbs of accumulators.
  auto* const words = [&] {
    if constexpr (fast) {
      return sums;
    } else {
      return a.sums.exact->word;
    }
  }();
  const int count = fast ? a.count : a.count * ExactSum::words;
  const bool has_peers = a.peers.ranks > 1;
  const std::uint32_t reduction = has_peers ? *a.peers.reductions + 1 : 0;
  if (a.takes && threadIdx.x < scalar_count) scalars[threadIdx.x] = a.scalars[threadIdx.x];
  if (a.sends) {
    if constexpr (fast) {
      if (threadIdx.x == 0) sums[0] = *a.stop;
      add_parts(a, sums, parts);
    } else {
      for (int w = threadIdx.x; w < ExactSum::words; w += conversion_threads) words[w] = 0;
      __syncthreads();
      if (threadIdx.x == 0) a.sums.exact->add(*a.stop);
    }
    __syncthreads();
    if (has_peers) send_to_peers(a.peers, words, count, reduction);
  } else if (fast && threadIdx.x < a.count) {
    sums[threadIdx.x] = a.sums.values[threadIdx.x];
  }
  if (!a.takes) {
    if (fast && threadIdx.x < a.count) a.sums.values[threadIdx.x] = sums[threadIdx.x];
    return;
  }
  __syncthreads();
  if (has_peers) add_peers(a, words, count, reduction);
  if (!fast && threadIdx.x < a.count) sums[threadIdx.x] = a.sums.exact[threadIdx.x].rounded();
  __syncthreads();
  if (threadIdx.x == 0) decide(a, sums, scalars);
  __syncthreads();
  if (threadIdx.x < scalar_count) a.scalars[threadIdx.x] = scalars[threadIdx.x];
}

template <Summation summation>
__global__ void finish_alone(const __grid_constant__ OverRanks then, const double* ended,
                             int parts) {
  begin_step();
  if (!is_over(ended)) work_over_ranks<summation>(then, parts);
}

/// Whether this is the last block of the grid to come here; what the others have written is there.
__device__ bool is_last_block(unsigned* ended_blocks) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(ended_blocks, 1u) == gridDim.x - 1;
    if (last) *ended_blocks = 0;  // for the next step
  }
  __syncthreads();
  if (last) __threadfence();
  return last;
}

// __grid_constant__: what is done over ranks is read where it is, not copied by every thread.

template <class Step>
__global__ void __launch_bounds__(conversion_threads, least_resident<Step>)
    sum_rows(Step step, Sweep sweep, unsigned* ended_blocks, double* of_blocks, int parts,
             const __grid_constant__ OverRanks then) {
  begin_step();
  if constexpr (requires { step.load(); }) step.load();
  if (is_over(sweep.ended)) return;
  double sums[Step::sums] = {};
  sweep.for_each_row([&](std::int64_t i) {
    const auto terms = step(i);
    for (int k = 0; k < Step::sums; ++k) sums[k] += terms.of[k];
  });
  sum_over_block(sums);
  // Parts that no block has are 0.
  for (int b = blockIdx.x; b < parts && threadIdx.x == 0; b += gridDim.x) {
    for (int k = 0; k < Step::sums; ++k) {
      of_blocks[k * SumsView::most_parts + b] = b < gridDim.x ? sums[k] : 0;
    }
  }
  if (then.count == 0) return;
  if (is_last_block(ended_blocks)) work_over_ranks<Summation::fast>(then, parts);
}

__device__ void add_atomically(std::int64_t& word, std::int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&word), static_cast<unsigned long long>(value));
}

template <class Step>
__global__ void __launch_bounds__(conversion_threads, 3)
    sum_rows_exactly(Step step, Sweep sweep, unsigned* ended_blocks, ExactSum* exact,
                     const __grid_constant__ OverRanks then) {
  begin_step();
  if constexpr (requires { step.load(); }) step.load();
  if (is_over(sweep.ended)) return;
  __shared__ ExactSum sums[Step::sums];
  for (int w = threadIdx.x; w < Step::sums * ExactSum::words; w += conversion_threads) {
    sums[w / ExactSum::words].word[w % ExactSum::words] = 0;
  }
  __syncthreads();
  Expansion expansions[Step::sums];
  sweep.for_each_row([&](std::int64_t i) {
    const auto terms = step(i);
    for (int k = 0; k < Step::sums; ++k) {
      expansions[k].add(terms.of[k], [&](double rest) { sums[k].add(rest, add_atomically); });
    }
  });
  for (int k = 0; k < Step::sums; ++k) {
    expansions[k].add_lanes([&](double rest) { sums[k].add(rest, add_atomically); });
  }
  __syncthreads();
  if (threadIdx.x < Step::sums) sums[threadIdx.x].normalize();
  __syncthreads();
  for (int w = threadIdx.x; w < Step::sums * ExactSum::words; w += conversion_threads) {
    const std::int64_t value = sums[w / ExactSum::words].word[w % ExactSum::words];
    if (value != 0) add_atomically(exact[w / ExactSum::words].word[w % ExactSum::words], value);
  }
  if (then.count == 0) return;
  __threadfence();  // the sums of each thread, before its block counts as ended
  if (is_last_block(ended_blocks)) work_over_ranks<Summation::reproducible>(then, 0);
}

/// As early as the device lets kernels start.
template <auto kernel, class... Arguments>
void launch_step(const VectorSpace& space, unsigned blocks, const Arguments&... arguments) {
  static const Start start = can_start_early(kernel) ? Start::early : Start::in_turn;
  launch_kernel(kernel, blocks, conversion_threads, start, native(space.stream), arguments...);
}

/// At most as many thread blocks as the device holds at once: those beyond would start when the
/// others have ended, and run on a device that is nearly idle.
template <auto kernel, class... Arguments>
void launch_sweep(const VectorSpace& space, const Arguments&... arguments) {
  static const int resident = [] {
    int of_multiprocessor = 0;
    ROWHALO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_multiprocessor, kernel,
                                                               conversion_threads, 0));
    return of_multiprocessor * device_attribute(cudaDevAttrMultiProcessorCount);
  }();
  const auto blocks = static_cast<unsigned>(std::min(parts_of(space.rows), resident));
  launch_step<kernel>(space, blocks, arguments...);
}

}  // namespace

template <class Step>
void run_step_on_gpu(const VectorSpace& space, Step step, SumsView sums, const OverRanks& then) {
  const Sweep sweep(space);
  if constexpr (Step::sums > 0) {
    if (sums.exact != nullptr && space.summation == Summation::reproducible) {
      set_bytes_async(sums.exact, 0, sizeof(ExactSum) * Step::sums, space.stream);
      launch_sweep<sum_rows_exactly<Step>>(space, step, sweep, space.ended_blocks, sums.exact,
                                           then);
      return;
    }
    if (sums.parts != nullptr) {
      launch_sweep<sum_rows<Step>>(space, step, sweep, space.ended_blocks, sums.parts,
                                   parts_of(space.rows), then);
      return;
    }
  }
  launch_sweep<update_rows<Step>>(space, step, sweep);
}

#define ROWHALO_INSTANTIATE(Step) \
  template void run_step_on_gpu(const VectorSpace&, Step, SumsView, const OverRanks&);
ROWHALO_VECTOR_STEPS(ROWHALO_INSTANTIATE)
#undef ROWHALO_INSTANTIATE

void finish_sums_on_gpu(const VectorSpace& space, const OverRanks& sums) {
  const int parts = parts_of(space.rows);
  if (sums.sums.exact != nullptr) {
    launch_step<finish_alone<Summation::reproducible>>(space, 1, sums, space.ended, parts);
  } else {
    launch_step<finish_alone<Summation::fast>>(space, 1, sums, space.ended, parts);
  }
}

}  // namespace rowhalo

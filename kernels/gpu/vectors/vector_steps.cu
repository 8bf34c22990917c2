// SPDX-License-Identifier: BSD-3-Clause
//
// Vector steps on a GPU (vector_steps.hpp): a grid that fills the device strides over the rows.
// Fast sums: a tree over each thread block, whose sum goes to partial[k][block]; the last block to
// end adds those up, in a fixed order (strided over its threads, then a tree). Reproducible sums:
// threads and warps add without rounding (expansion.cuh), thread blocks in an accumulator per sum
// in shared memory, which they add, normalized, to that of the device; integers may be added in any
// order. The last block then does what there is to do over ranks (over_ranks.hpp).
//
//   row      0 1 2 ... 255 | 256 ... 511 | ...     thread blocks 0, 1, 2, ... in turn
//   block b  terms of its rows -> sum (a tree) -> partial[k][b]
//   last     partial[k][0] + partial[k][1] + ... -> values[k] -> other ranks -> scalars
//
// Bytes: what a step reads and writes per row, 8 per vector; sums are nothing beside them.
#include <algorithm>
#include <cstddef>

#include "kernels/gpu/device/check.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "kernels/gpu/peers/lines.cuh"
#include "kernels/gpu/peers/waiting.cuh"
#include "kernels/gpu/vectors/expansion.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"
#include "kernels/vectors/run_step.hpp"

namespace rowhalo {
namespace {

constexpr int block_threads = 256;
constexpr unsigned most_blocks = 1024;

static_assert(step_scratch_bytes >= 64 + sizeof(double) * most_sums * most_blocks);

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

  /// work(i) for every row of this thread.
  template <class Work>
  __device__ void for_each_row(const Work& work) const {
    const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
    const std::int64_t last = rows - 1;
#pragma unroll 2
    for (std::int64_t k = thread_index(); k < rows; k += stride) work(backward ? last - k : k);
  }
};

template <class Step>
__global__ void update_rows(Step step, Sweep sweep) {
  if (is_over(sweep.ended)) return;
  step.load();
  sweep.for_each_row([&](std::int64_t i) { step(i); });
}

/// Sums of the threads of a block, each in thread 0.
template <int count>
__device__ void sum_over_block(double (&sums)[count]) {
  __shared__ double of_warps[count][block_threads / warp_size];
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  for (int k = 0; k < count; ++k) sums[k] = sum_of_lanes(sums[k]);
  __syncthreads();  // of_warps may still be read for the sums before
  if (lane == 0) {
    for (int k = 0; k < count; ++k) of_warps[k][warp] = sums[k];
  }
  __syncthreads();
  if (warp != 0) return;
  for (int k = 0; k < count; ++k) {
    sums[k] = sum_of_lanes<block_threads / warp_size>(
        lane < block_threads / warp_size ? of_warps[k][lane] : 0);
  }
}

/// The words of a reduction: doubles, or limbs of accumulators.
template <Summation summation>
struct Words;

template <>
struct Words<Summation::fast> {
  using Word = double;
  static __device__ double* of(const OverRanks& a) { return a.sums.values; }
  static __device__ int count(const OverRanks& a) { return a.count; }
  static __device__ void note_stop(const OverRanks& a) {
    if (threadIdx.x == 0) a.sums.values[0] = *a.stop;
  }
  static __device__ void round(const OverRanks&) {}
};

template <>
struct Words<Summation::reproducible> {
  using Word = std::int64_t;
  static __device__ std::int64_t* of(const OverRanks& a) { return a.sums.exact->word; }
  static __device__ int count(const OverRanks& a) { return a.count * ExactSum::words; }
  static __device__ void note_stop(const OverRanks& a) {
    for (int w = threadIdx.x; w < ExactSum::words; w += block_threads) a.sums.exact->word[w] = 0;
    __syncthreads();
    if (threadIdx.x == 0) a.sums.exact->add(*a.stop);
  }
  static __device__ void round(const OverRanks& a) {
    if (threadIdx.x < a.count) a.sums.values[threadIdx.x] = a.sums.exact[threadIdx.x].rounded();
  }
};

template <class Word>
__device__ void send_to_peers(const PeerSums& peers, const Word* words, int count,
                              std::uint32_t reduction) {
  for (int k = threadIdx.x; k < count * peers.ranks; k += block_threads) {
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
  for (int w = threadIdx.x; w < count; w += block_threads) {
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

/// By all threads of one block, when the sums of this rank are there.
template <Summation summation>
__device__ void work_over_ranks(const OverRanks& a) {
  using Words = Words<summation>;
  typename Words::Word* words = Words::of(a);
  const bool has_peers = a.peers.ranks > 1;
  const std::uint32_t reduction = has_peers ? *a.peers.reductions + 1 : 0;
  if (a.sends) {
    Words::note_stop(a);
    __syncthreads();
    if (has_peers) send_to_peers(a.peers, words, Words::count(a), reduction);
  }
  if (!a.takes) return;
  __syncthreads();
  if (has_peers) add_peers(a, words, Words::count(a), reduction);
  Words::round(a);
  // What one thread works on alone lies in shared memory: it has no time for trips to L2.
  __shared__ double sums[most_reduced], scalars[scalar_count];
  __syncthreads();
  if (threadIdx.x < a.count) sums[threadIdx.x] = a.sums.values[threadIdx.x];
  if (threadIdx.x < scalar_count) scalars[threadIdx.x] = a.scalars[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) decide(a, sums, scalars);
  __syncthreads();
  if (threadIdx.x < scalar_count) a.scalars[threadIdx.x] = scalars[threadIdx.x];
}

template <Summation summation>
__global__ void finish_alone(const __grid_constant__ OverRanks then, const double* ended) {
  if (!is_over(ended)) work_over_ranks<summation>(then);
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

/// What the blocks of a step share while it runs.
struct Scratch {
  unsigned* ended_blocks;
  double* partial;

  explicit Scratch(void* memory)
      : ended_blocks(static_cast<unsigned*>(memory)),
        partial(reinterpret_cast<double*>(static_cast<std::byte*>(memory) + 64)) {}
};

// __grid_constant__: what is done over ranks is read where it is, not copied by every thread.

template <class Step>
__global__ void __launch_bounds__(block_threads)
    sum_rows(Step step, Sweep sweep, Scratch scratch, double* values,
             const __grid_constant__ OverRanks then) {
  if (is_over(sweep.ended)) return;
  step.load();
  double sums[Step::sums] = {};
  sweep.for_each_row([&](std::int64_t i) {
    const auto terms = step(i);
    for (int k = 0; k < Step::sums; ++k) sums[k] += terms.of[k];
  });
  sum_over_block(sums);
  if (threadIdx.x == 0) {
    for (int k = 0; k < Step::sums; ++k) scratch.partial[k * gridDim.x + blockIdx.x] = sums[k];
  }
  if (!is_last_block(scratch.ended_blocks)) return;
  for (int k = 0; k < Step::sums; ++k) {
    sums[k] = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += block_threads) {
      sums[k] += __ldcg(scratch.partial + k * gridDim.x + b);
    }
  }
  sum_over_block(sums);
  if (threadIdx.x == 0) {
    for (int k = 0; k < Step::sums; ++k) values[k] = sums[k];
  }
  if (then.count == 0) return;
  __syncthreads();
  work_over_ranks<Summation::fast>(then);
}

__device__ void add_atomically(std::int64_t& word, std::int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&word), static_cast<unsigned long long>(value));
}

template <class Step>
__global__ void __launch_bounds__(block_threads, 3)
    sum_rows_exactly(Step step, Sweep sweep, Scratch scratch, ExactSum* exact,
                     const __grid_constant__ OverRanks then) {
  if (is_over(sweep.ended)) return;
  __shared__ ExactSum sums[Step::sums];
  for (int w = threadIdx.x; w < Step::sums * ExactSum::words; w += block_threads) {
    sums[w / ExactSum::words].word[w % ExactSum::words] = 0;
  }
  __syncthreads();
  step.load();
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
  for (int w = threadIdx.x; w < Step::sums * ExactSum::words; w += block_threads) {
    const std::int64_t value = sums[w / ExactSum::words].word[w % ExactSum::words];
    if (value != 0) add_atomically(exact[w / ExactSum::words].word[w % ExactSum::words], value);
  }
  if (then.count == 0) return;
  __threadfence();  // the sums of each thread, before its block counts as ended
  if (is_last_block(scratch.ended_blocks)) work_over_ranks<Summation::reproducible>(then);
}

__global__ void round_all(const ExactSum* exact, double* values, int count) {
  const int k = static_cast<int>(threadIdx.x);
  if (k < count) values[k] = exact[k].rounded();
}

}  // namespace

template <class Step>
void run_step_on_gpu(const VectorSpace& space, Step step, SumsView sums, const OverRanks& then) {
  const cudaStream_t stream = native(space.stream);
  constexpr int rows_per_thread = 4;  // at least: more blocks would only have more sums to add
  const unsigned blocks =
      std::clamp(blocks_for(space.rows, block_threads * rows_per_thread), 1u, most_blocks);
  if constexpr (Step::sums > 0) {
    if (sums.exact != nullptr && space.summation == Summation::reproducible) {
      set_bytes_async(sums.exact, 0, sizeof(ExactSum) * Step::sums, space.stream);
      sum_rows_exactly<<<blocks, block_threads, 0, stream>>>(
          step, Sweep(space), Scratch(space.scratch), sums.exact, then);
      ROWHALO_CUDA(cudaGetLastError());
      return;
    }
    if (sums.values != nullptr) {
      sum_rows<<<blocks, block_threads, 0, stream>>>(step, Sweep(space), Scratch(space.scratch),
                                                     sums.values, then);
      ROWHALO_CUDA(cudaGetLastError());
      return;
    }
  }
  update_rows<<<blocks, block_threads, 0, stream>>>(step, Sweep(space));
  ROWHALO_CUDA(cudaGetLastError());
}

#define ROWHALO_INSTANTIATE(Step) \
  template void run_step_on_gpu(const VectorSpace&, Step, SumsView, const OverRanks&);
ROWHALO_VECTOR_STEPS(ROWHALO_INSTANTIATE)
#undef ROWHALO_INSTANTIATE

void finish_sums_on_gpu(const VectorSpace& space, const OverRanks& sums) {
  const bool exact = sums.sums.exact != nullptr;
  const auto kernel = exact ? finish_alone<Summation::reproducible> : finish_alone<Summation::fast>;
  kernel<<<1, block_threads, 0, native(space.stream)>>>(sums, space.ended);
  ROWHALO_CUDA(cudaGetLastError());
}

void round_sums_on_gpu(const VectorSpace& space, SumsView sums, int count) {
  round_all<<<1, warp_size, 0, native(space.stream)>>>(sums.exact, sums.values, count);
  ROWHALO_CUDA(cudaGetLastError());
}

}  // namespace rowhalo

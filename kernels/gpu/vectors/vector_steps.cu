// SPDX-License-Identifier: BSD-3-Clause
//
// Vector steps on a GPU (vector_steps.hpp): a grid that fills the device strides over the rows.
// Fast sums: a tree over each thread block, whose sum goes to partial[k][block]; the last block to
// end adds those up, in a fixed order (strided over its threads, then a tree). Reproducible sums:
// each thread block has an accumulator per sum in shared memory and adds it, normalized, to that of
// the device; integers may be added in any order.
//
//   row      0 1 2 ... 255 | 256 ... 511 | ...     thread blocks 0, 1, 2, ... in turn
//   block b  terms of its rows -> sum (a tree) -> partial[k][b]
//   last     partial[k][0] + partial[k][1] + ... -> values[k]
//
// Bytes: what a step reads and writes per row, 8 per vector; sums are nothing beside them.
#include <algorithm>
#include <cstddef>

#include "kernels/gpu/device/check.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"
#include "kernels/vectors/run_step.hpp"

namespace rowhalo {
namespace {

constexpr int block_threads = 256;
constexpr int most_blocks = 1024;

static_assert(step_scratch_bytes >= 64 + sizeof(double) * most_sums * most_blocks);

template <class Step>
__global__ void update_rows(Step step, std::int64_t rows) {
  step.load();
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  for (std::int64_t i = thread_index(); i < rows; i += stride) step(i);
}

/// Of the threads of a block, in thread 0.
__device__ double sum_of_block(double sum) {
  __shared__ double of_warps[block_threads / warp_size];
  sum = sum_of_lanes(sum);
  __syncthreads();  // of_warps may still be read for the sum before
  if (threadIdx.x % warp_size == 0) of_warps[threadIdx.x / warp_size] = sum;
  __syncthreads();
  if (threadIdx.x < warp_size) {
    sum = threadIdx.x < block_threads / warp_size ? of_warps[threadIdx.x] : 0;
    sum = sum_of_lanes(sum);
  }
  return sum;
}

template <class Step>
__global__ void sum_rows(Step step, std::int64_t rows, double* partial, unsigned* ended,
                         double* values) {
  step.load();
  double sums[Step::sums] = {};
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  for (std::int64_t i = thread_index(); i < rows; i += stride) {
    const auto terms = step(i);
    for (int k = 0; k < Step::sums; ++k) sums[k] += terms.of[k];
  }
  for (int k = 0; k < Step::sums; ++k) {
    const double sum = sum_of_block(sums[k]);
    if (threadIdx.x == 0) partial[k * gridDim.x + blockIdx.x] = sum;
  }
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(ended, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int k = 0; k < Step::sums; ++k) {
    double sum = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += block_threads) {
      sum += __ldcg(partial + k * gridDim.x + b);
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) values[k] = sum;
  }
  if (threadIdx.x == 0) *ended = 0;  // for the next step
}

__device__ void add_shared(std::int64_t* word, std::int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value));
}

template <class Step>
__global__ void sum_rows_exactly(Step step, std::int64_t rows, ExactSum* exact) {
  __shared__ ExactSum sums[Step::sums];
  for (int w = threadIdx.x; w < Step::sums * ExactSum::words; w += block_threads) {
    sums[w / ExactSum::words].word[w % ExactSum::words] = 0;
  }
  __syncthreads();
  step.load();
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  for (std::int64_t i = thread_index(); i < rows; i += stride) {
    const auto terms = step(i);
    for (int k = 0; k < Step::sums; ++k) {
      sums[k].add(terms.of[k],
                  [](std::int64_t& word, std::int64_t value) { add_shared(&word, value); });
    }
  }
  __syncthreads();
  if (threadIdx.x < Step::sums) sums[threadIdx.x].normalize();
  __syncthreads();
  for (int w = threadIdx.x; w < Step::sums * ExactSum::words; w += block_threads) {
    const std::int64_t value = sums[w / ExactSum::words].word[w % ExactSum::words];
    if (value != 0) add_shared(&exact[w / ExactSum::words].word[w % ExactSum::words], value);
  }
}

__global__ void round_all(const ExactSum* exact, double* values, int count) {
  const int k = static_cast<int>(threadIdx.x);
  if (k < count) values[k] = exact[k].rounded();
}

}  // namespace

template <class Step>
void run_step_on_gpu(const VectorSpace& space, Step step, SumsView sums) {
  const cudaStream_t stream = native(space.stream);
  const unsigned blocks = std::max(
      1u, std::min(blocks_for(space.rows, block_threads), static_cast<unsigned>(most_blocks)));
  if constexpr (Step::sums > 0) {
    if (sums.exact != nullptr && space.summation == Summation::reproducible) {
      set_bytes_async(sums.exact, 0, sizeof(ExactSum) * Step::sums, space.stream);
      sum_rows_exactly<<<blocks, block_threads, 0, stream>>>(step, space.rows, sums.exact);
      ROWHALO_CUDA(cudaGetLastError());
      return;
    }
    if (sums.values != nullptr) {
      auto* ended = static_cast<unsigned*>(space.scratch);
      auto* partial = reinterpret_cast<double*>(static_cast<std::byte*>(space.scratch) + 64);
      sum_rows<<<blocks, block_threads, 0, stream>>>(step, space.rows, partial, ended, sums.values);
      ROWHALO_CUDA(cudaGetLastError());
      return;
    }
  }
  update_rows<<<blocks, block_threads, 0, stream>>>(step, space.rows);
  ROWHALO_CUDA(cudaGetLastError());
}

#define ROWHALO_INSTANTIATE(Step) template void run_step_on_gpu(const VectorSpace&, Step, SumsView);
ROWHALO_VECTOR_STEPS(ROWHALO_INSTANTIATE)
#undef ROWHALO_INSTANTIATE

void round_sums_on_gpu(const VectorSpace& space, SumsView sums, int count) {
  round_all<<<1, warp_size, 0, native(space.stream)>>>(sums.exact, sums.values, count);
  ROWHALO_CUDA(cudaGetLastError());
}

}  // namespace rowhalo

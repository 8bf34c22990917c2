// SPDX-License-Identifier: BSD-3-Clause
//
// The waiting kernel of delay.hpp. The count lies in device memory, so that the replays of a graph
// wait for different times.
#include "kernels/gpu/device/launch.hpp"
#include "miniapp/bench/baselines/delay.hpp"

namespace rowhalo {

namespace {

__device__ std::uint64_t now_nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_a_while(std::uint64_t* count, std::uint64_t seed, std::uint64_t most) {
  const std::uint64_t start = now_nanoseconds();
  const std::uint64_t wanted = delay_nanoseconds(seed, (*count)++, most);
  while (now_nanoseconds() - start < wanted) {
  }
}

}  // namespace

void delay_on_device(std::uint64_t* count, std::uint64_t seed, std::uint64_t most, Stream stream) {
  wait_a_while<<<1, 1, 0, native(stream)>>>(count, seed, most);
  ROWHALO_CUDA(cudaGetLastError());
}

}  // namespace rowhalo

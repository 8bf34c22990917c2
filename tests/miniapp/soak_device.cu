// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels of soak_device.hpp, a thread an entry.
#include "kernels/gpu/device/launch.hpp"
#include "tests/miniapp/soak_device.hpp"

namespace rowhalo::test {

namespace {

constexpr int block_threads = 256;

__global__ void renew(const std::uint64_t* product, std::int64_t count, const double* x0,
                      double* x) {
  const std::int64_t k = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (k < count) x[k] = soak_factor(*product) * x0[k];
}

__global__ void compare(const std::uint64_t* product, std::int64_t count, const double* y0,
                        const double* y, std::uint64_t* wrong) {
  const std::int64_t k = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (k >= count || y[k] == soak_factor(*product) * y0[k]) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(wrong), 1ULL);
}

__global__ void next(std::uint64_t* product) {
  ++*product;
}

}  // namespace

void renew_x(const std::uint64_t* product, std::int64_t count, const double* x0, double* x,
             Stream stream) {
  if (count == 0) return;
  renew<<<blocks_for(count, block_threads), block_threads, 0, native(stream)>>>(product, count, x0,
                                                                                x);
  ROWHALO_CUDA(cudaGetLastError());
}

void check_y(std::uint64_t* product, std::int64_t count, const double* y0, const double* y,
             std::uint64_t* wrong, Stream stream) {
  if (count > 0) {
    compare<<<blocks_for(count, block_threads), block_threads, 0, native(stream)>>>(product, count,
                                                                                    y0, y, wrong);
    ROWHALO_CUDA(cudaGetLastError());
  }
  next<<<1, 1, 0, native(stream)>>>(product);
  ROWHALO_CUDA(cudaGetLastError());
}

}  // namespace rowhalo::test

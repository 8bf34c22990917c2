// SPDX-License-Identifier: BSD-3-Clause
//
// kernels/bits.hpp for device code: the two operations that the definition of the bits
// (spmv_kernel.hpp) is made of, with the rounding spelled out, since nvcc fuses a product and a sum
// where it may. Also how kernels read what a product reads once, and x.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace rowhalo {

/// A stored number in the type of the sums.
template <class Sum, class Stored>
__device__ inline Sum widened(Stored value) {
  return static_cast<Sum>(value);
}
template <>
__device__ inline float widened<float>(__half value) {
  return __half2float(value);
}
template <>
__device__ inline float widened<float>(__nv_bfloat16 value) {
  return __bfloat162float(value);
}

/// A result as y stores it, rounded to nearest.
template <class Stored, class Sum>
__device__ inline Stored rounded_to(Sum value) {
  return static_cast<Stored>(value);
}
template <>
__device__ inline __half rounded_to<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ inline __nv_bfloat16 rounded_to<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

__device__ inline double fused_multiply_add(double a, double b, double c) {
  return __fma_rn(a, b, c);
}
__device__ inline float fused_multiply_add(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
__device__ inline double rounded_product(double a, double b) {
  return __dmul_rn(a, b);
}
__device__ inline float rounded_product(float a, float b) {
  return __fmul_rn(a, b);
}

/// Writes y from the sum of its row. y is not read when beta is zero.
template <class Sum, class Stored>
__device__ inline void finish_row(Sum alpha, Sum sum, Sum beta, Stored& y) {
  y = rounded_to<Stored>(
      beta == 0 ? rounded_product(alpha, sum)
                : fused_multiply_add(alpha, sum, rounded_product(beta, widened<Sum>(y))));
}

/// Matrix and index streams: evicted first, so that x stays in the caches.
template <class T>
__device__ inline T streamed(const T* place) {
  return __ldcs(place);
}

/// Asks for the line of `place` in global memory, which others will read; waits for nothing.
__device__ inline void prefetch(const void* place) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(place)));
}

/// Numbers side by side that a lane loads or stores at once, where they are 16 bytes or fewer.
template <class Number, int count>
struct alignas(sizeof(Number) * count < 16 ? sizeof(Number) * count : 16) Pack {
  Number at[count];
};

/// x, through the read-only path.
template <class T>
__device__ inline T cached(const T* place) {
  return __ldg(place);
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// kernels/bits.hpp for device code: the two operations that the definition of the bits
// (spmv_kernel.hpp) is made of, with the rounding spelled out, since nvcc fuses a product and a sum
// where it may. Also how kernels read what a product reads once, and x.
#pragma once

namespace rowhalo {

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
template <class T>
__device__ inline void finish_row(T alpha, T sum, T beta, T& y) {
  y = beta == 0 ? rounded_product(alpha, sum)
                : fused_multiply_add(alpha, sum, rounded_product(beta, y));
}

/// Matrix and index streams: evicted first, so that x stays in the caches.
template <class T>
__device__ inline T streamed(const T* place) {
  return __ldcs(place);
}

/// x, through the read-only path.
template <class T>
__device__ inline T cached(const T* place) {
  return __ldg(place);
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The two operations that the definition of the bits (spmv_kernel.hpp) is made of. Every CPU kernel
// sums and writes its rows through them, so that there is one place where the arithmetic stands
// (registers of several vectors: cpu/several_lanes.hpp).
// They are always inlined: inside a function for AVX2 or AVX-512 (cpu/isa.hpp) the fused operation
// is one instruction, elsewhere the C library's fma, which rounds the same way.
#pragma once

namespace rowhalo {

[[gnu::always_inline]] inline double fused_multiply_add(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
[[gnu::always_inline]] inline float fused_multiply_add(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

/// Writes y from the sum of its row. y is not read when beta is zero.
template <class T>
[[gnu::always_inline]] inline void finish_row(T alpha, T sum, T beta, T& y) {
  y = beta == 0 ? alpha * sum : fused_multiply_add(alpha, sum, beta * y);
}

}  // namespace rowhalo

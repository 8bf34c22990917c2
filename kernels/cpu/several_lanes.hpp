// SPDX-License-Identifier: BSD-3-Clause
//
// Steps on `width` adjacent entries of a row of X or Y in row layout, one vector register each:
// 2, 4 and 8 entries of T up to the 64 bytes of AVX-512 (isa.hpp). What avx512.hpp says of its
// functions holds for these. Every lane has the arithmetic of kernels/bits.hpp, which stands here
// once more for each register, so a column has the bits of the product with it alone.
#pragma once

#include "kernels/bits.hpp"
#include "kernels/cpu/avx2.hpp"
#include "kernels/cpu/avx512.hpp"

#if defined(__x86_64__)
namespace rowhalo::avx2 {

/// sums[l] = fma(value, x[l], sums[l]).
template <int width>
ROWHALO_AVX2 void add_scaled(double value, const double* x, double* sums) {
  if constexpr (width == 4) {
    _mm256_storeu_pd(
        sums, _mm256_fmadd_pd(_mm256_set1_pd(value), _mm256_loadu_pd(x), _mm256_loadu_pd(sums)));
  } else {
    _mm_storeu_pd(sums, _mm_fmadd_pd(_mm_set1_pd(value), _mm_loadu_pd(x), _mm_loadu_pd(sums)));
  }
}
/// Two floats, as the lower half of a register.
ROWHALO_AVX2 __m128 load_pair(const float* x) {
  return _mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double*>(x)));
}
ROWHALO_AVX2 void store_pair(float* x, __m128 pair) {
  _mm_store_sd(reinterpret_cast<double*>(x), _mm_castps_pd(pair));
}
template <int width>
ROWHALO_AVX2 void add_scaled(float value, const float* x, float* sums) {
  if constexpr (width == 8) {
    _mm256_storeu_ps(
        sums, _mm256_fmadd_ps(_mm256_set1_ps(value), _mm256_loadu_ps(x), _mm256_loadu_ps(sums)));
  } else if constexpr (width == 4) {
    _mm_storeu_ps(sums, _mm_fmadd_ps(_mm_set1_ps(value), _mm_loadu_ps(x), _mm_loadu_ps(sums)));
  } else {
    store_pair(sums, _mm_fmadd_ps(_mm_set1_ps(value), load_pair(x), load_pair(sums)));
  }
}

/// result[l] = factor * x[l].
template <int width>
ROWHALO_AVX2 void scale(double factor, const double* x, double* result) {
  if constexpr (width == 4) {
    _mm256_storeu_pd(result, _mm256_mul_pd(_mm256_set1_pd(factor), _mm256_loadu_pd(x)));
  } else {
    _mm_storeu_pd(result, _mm_mul_pd(_mm_set1_pd(factor), _mm_loadu_pd(x)));
  }
}
template <int width>
ROWHALO_AVX2 void scale(float factor, const float* x, float* result) {
  if constexpr (width == 8) {
    _mm256_storeu_ps(result, _mm256_mul_ps(_mm256_set1_ps(factor), _mm256_loadu_ps(x)));
  } else if constexpr (width == 4) {
    _mm_storeu_ps(result, _mm_mul_ps(_mm_set1_ps(factor), _mm_loadu_ps(x)));
  } else {
    store_pair(result, _mm_mul_ps(_mm_set1_ps(factor), load_pair(x)));
  }
}

}  // namespace rowhalo::avx2

namespace rowhalo::avx512 {

template <int width>
ROWHALO_AVX512 void add_scaled(double value, const double* x, double* sums) {
  if constexpr (width == 8) {
    _mm512_storeu_pd(
        sums, _mm512_fmadd_pd(_mm512_set1_pd(value), _mm512_loadu_pd(x), _mm512_loadu_pd(sums)));
  } else {
    avx2::add_scaled<width>(value, x, sums);
  }
}
template <int width>
ROWHALO_AVX512 void add_scaled(float value, const float* x, float* sums) {
  if constexpr (width == 16) {
    _mm512_storeu_ps(
        sums, _mm512_fmadd_ps(_mm512_set1_ps(value), _mm512_loadu_ps(x), _mm512_loadu_ps(sums)));
  } else {
    avx2::add_scaled<width>(value, x, sums);
  }
}
template <int width>
ROWHALO_AVX512 void scale(double factor, const double* x, double* result) {
  if constexpr (width == 8) {
    _mm512_storeu_pd(result, _mm512_mul_pd(_mm512_set1_pd(factor), _mm512_loadu_pd(x)));
  } else {
    avx2::scale<width>(factor, x, result);
  }
}
template <int width>
ROWHALO_AVX512 void scale(float factor, const float* x, float* result) {
  if constexpr (width == 16) {
    _mm512_storeu_ps(result, _mm512_mul_ps(_mm512_set1_ps(factor), _mm512_loadu_ps(x)));
  } else {
    avx2::scale<width>(factor, x, result);
  }
}

}  // namespace rowhalo::avx512
#endif

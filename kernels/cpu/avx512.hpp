// SPDX-License-Identifier: BSD-3-Clause
//
// Steps that a compiler does not find by itself, with AVX-512 (isa.hpp): entries of x by their
// columns, lookup in a table of one register, fma under a mask, columns from differences. They are
// not always_inline and not written with the compiler's vectors: in a function that may not use
// AVX-512 it takes those apart before it inlines. Called inside run_avx512 only, where they are
// inlined. (Conversions are masked by ones where GCC 12 warns of its own header without.)
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#include "kernels/cpu/avx2.hpp"
#include "partition/base/types.hpp"

namespace rowhalo::avx512 {

#define ROWHALO_AVX512 [[gnu::target("avx512f,avx512vl,avx512dq,fma")]] inline

/// result[l] = table[codes[l]]
ROWHALO_AVX512 void permute(const double* table, const std::uint8_t* codes, double* result) {
  constexpr __mmask8 all = 0xff;
  const auto* own = reinterpret_cast<const __m128i*>(codes);
  const __m512i places = _mm512_maskz_cvtepu8_epi64(all, _mm_loadl_epi64(own));
  _mm512_storeu_pd(result, _mm512_maskz_permutexvar_pd(all, places, _mm512_loadu_pd(table)));
}
ROWHALO_AVX512 void permute(const float* table, const std::uint8_t* codes, float* result) {
  constexpr __mmask16 all = 0xffff;
  const auto* own = reinterpret_cast<const __m128i*>(codes);
  const __m512i places = _mm512_maskz_cvtepu8_epi32(all, _mm_loadu_si128(own));
  _mm512_storeu_ps(result, _mm512_maskz_permutexvar_ps(all, places, _mm512_loadu_ps(table)));
}

/// result[l] = codes[l], as many as a vector holds.
ROWHALO_AVX512 void widen(const std::uint16_t* codes, std::uint64_t* result) {
  constexpr __mmask8 all = 0xff;
  const __m128i own = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes));
  _mm512_storeu_si512(result, _mm512_maskz_cvtepu16_epi64(all, own));
}
ROWHALO_AVX512 void widen(const std::uint16_t* codes, std::uint32_t* result) {
  constexpr __mmask16 all = 0xffff;
  const __m256i own = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes));
  _mm512_storeu_si512(result, _mm512_maskz_cvtepu16_epi32(all, own));
}

/// result[l] = x[columns[l]]
ROWHALO_AVX512 void gather(const double* x, const LocalIndex* columns, double* result) {
  constexpr __mmask8 all = 0xff;
  const __m256i places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns));
  _mm512_storeu_pd(result, _mm512_mask_i32gather_pd(_mm512_setzero_pd(), all, places, x, 8));
}
ROWHALO_AVX512 void gather(const float* x, const LocalIndex* columns, float* result) {
  constexpr __mmask16 all = 0xffff;
  _mm512_storeu_ps(result, _mm512_mask_i32gather_ps(_mm512_setzero_ps(), all,
                                                    _mm512_loadu_si512(columns), x, 4));
}

/// result[l] = x[columns[l]], by ordinary loads. Written out because GCC 12 puts each entry by
/// itself into the whole vector, under a mask, one after the other.
ROWHALO_AVX512 void load_lanes(const double* x, const LocalIndex* columns, double* result) {
  constexpr __mmask8 all = 0xff;
  const __m512d low = _mm512_castpd256_pd512(avx2::load_four(x, columns));
  _mm512_storeu_pd(result, _mm512_maskz_insertf64x4(all, low, avx2::load_four(x, columns + 4), 1));
}
ROWHALO_AVX512 void load_lanes(const float* x, const LocalIndex* columns, float* result) {
  constexpr __mmask16 all = 0xffff;
  const __m512 low = _mm512_castps256_ps512(avx2::load_eight(x, columns));
  _mm512_storeu_ps(result, _mm512_maskz_insertf32x8(all, low, avx2::load_eight(x, columns + 8), 1));
}

/// sums[l] = fma(values[l], x[l], sums[l]) where bit l of `mask` is set.
ROWHALO_AVX512 void add_masked(const double* values, const double* x, std::uint32_t mask,
                               double* sums) {
  _mm512_storeu_pd(sums, _mm512_mask3_fmadd_pd(_mm512_loadu_pd(values), _mm512_loadu_pd(x),
                                               _mm512_loadu_pd(sums), static_cast<__mmask8>(mask)));
}
ROWHALO_AVX512 void add_masked(const float* values, const float* x, std::uint32_t mask,
                               float* sums) {
  _mm512_storeu_ps(sums,
                   _mm512_mask3_fmadd_ps(_mm512_loadu_ps(values), _mm512_loadu_ps(x),
                                         _mm512_loadu_ps(sums), static_cast<__mmask16>(mask)));
}

/// sums[l] = fma(values[l], x[l], sums[l]) for l < length, at most 8. Nothing beyond is read.
ROWHALO_AVX512 void add_run(const double* values, const double* x, int length, double* sums) {
  const auto own = static_cast<__mmask8>((1U << length) - 1);
  _mm512_storeu_pd(
      sums, _mm512_mask3_fmadd_pd(_mm512_maskz_loadu_pd(own, values), _mm512_maskz_loadu_pd(own, x),
                                  _mm512_loadu_pd(sums), own));
}
ROWHALO_AVX512 void add_run(const float* values, const float* x, int length, float* sums) {
  const auto own = static_cast<__mmask8>((1U << length) - 1);
  _mm256_storeu_ps(
      sums, _mm256_mask3_fmadd_ps(_mm256_maskz_loadu_ps(own, values), _mm256_maskz_loadu_ps(own, x),
                                  _mm256_loadu_ps(sums), own));
}

/// columns, less all_columns where they are not less than that.
ROWHALO_AVX512 __m256i within(__m256i columns, std::uint32_t all_columns) {
  const __m256i all = _mm256_set1_epi32(static_cast<int>(all_columns));
  return _mm256_min_epu32(columns, _mm256_sub_epi32(columns, all));
}
ROWHALO_AVX512 __m512i within(__m512i columns, std::uint32_t all_columns) {
  constexpr __mmask16 every = 0xffff;
  const __m512i all = _mm512_set1_epi32(static_cast<int>(all_columns));
  return _mm512_maskz_min_epu32(every, columns, _mm512_sub_epi32(columns, all));
}

/// Distances of 8 or 16 lanes, 32 bits each.
ROWHALO_AVX512 __m256i eight_deltas(const std::uint8_t* deltas) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(deltas)));
}
ROWHALO_AVX512 __m256i eight_deltas(const std::uint16_t* deltas) {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(deltas)));
}
ROWHALO_AVX512 __m512i sixteen_deltas(const std::uint8_t* deltas) {
  constexpr __mmask16 all = 0xffff;
  const auto* own = reinterpret_cast<const __m128i*>(deltas);
  return _mm512_maskz_cvtepu8_epi32(all, _mm_loadu_si128(own));
}
ROWHALO_AVX512 __m512i sixteen_deltas(const std::uint16_t* deltas) {
  constexpr __mmask16 all = 0xffff;
  const auto* own = reinterpret_cast<const __m256i*>(deltas);
  return _mm512_maskz_cvtepu16_epi32(all, _mm256_loadu_si256(own));
}

/// columns[l] += deltas[l], past all_columns - 1 comes 0; inside[l] = columns[l], or 0 where
/// deltas[l] is all ones. Bit l of the result says where it is not. Delta: 8 or 16 bits.
template <int lanes, class Delta>
ROWHALO_AVX512 std::uint32_t advance(const Delta* deltas, LocalIndex* columns, LocalIndex* inside,
                                     std::uint32_t all_columns) {
  constexpr int ones = static_cast<Delta>(~Delta{0});
  if constexpr (lanes == 8) {
    const __m256i delta = eight_deltas(deltas);
    const __m256i ahead =
        _mm256_add_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns)), delta);
    const __m256i next = within(ahead, all_columns);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns), next);
    const __mmask8 has = _mm256_cmpneq_epi32_mask(delta, _mm256_set1_epi32(ones));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(inside), _mm256_maskz_mov_epi32(has, next));
    return has;
  } else {
    const __m512i delta = sixteen_deltas(deltas);
    const __m512i next = within(_mm512_add_epi32(_mm512_loadu_si512(columns), delta), all_columns);
    _mm512_storeu_si512(columns, next);
    const __mmask16 has = _mm512_cmpneq_epi32_mask(delta, _mm512_set1_epi32(ones));
    _mm512_storeu_si512(inside, _mm512_maskz_mov_epi32(has, next));
    return has;
  }
}

/// inside[l] = columns[l], or 0 where that is negative. Bit l of the result says where it is not.
template <int lanes>
ROWHALO_AVX512 std::uint32_t not_negative(const LocalIndex* columns, LocalIndex* inside) {
  if constexpr (lanes == 8) {
    const __m256i own = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns));
    const auto negative = static_cast<std::uint32_t>(_mm256_movepi32_mask(own));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(inside),
                        _mm256_max_epi32(own, _mm256_setzero_si256()));
    return ~negative;
  } else {
    const __m512i own = _mm512_loadu_si512(columns);
    const auto negative = static_cast<std::uint32_t>(_mm512_movepi32_mask(own));
    _mm512_storeu_si512(inside, _mm512_maskz_mov_epi32(static_cast<__mmask16>(~negative), own));
    return ~negative;
  }
}

}  // namespace rowhalo::avx512
#endif

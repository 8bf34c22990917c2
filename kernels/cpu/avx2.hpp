// SPDX-License-Identifier: BSD-3-Clause
//
// Steps that a compiler does not find by itself, with AVX2 (isa.hpp): entries of x by their
// columns, lookup in a table of two registers, 16 bits as 32 or 64, fma with and without a mask,
// which lanes of a strip have an entry. What avx512.hpp says of such functions holds for these;
// they are called inside run_avx2 and run_avx512 only.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#include "partition/base/types.hpp"

namespace rowhalo::avx2 {

#define ROWHALO_AVX2 [[gnu::target("avx2,fma")]] inline

/// x[columns[0]] and x[columns[1]], and the same for four. Columns are not negative. Two are taken
/// as one word: half as many moves out of a vector register.
ROWHALO_AVX2 __m128d load_two(const double* x, const LocalIndex* columns) {
  std::uint64_t both = 0;
  __builtin_memcpy(&both, columns, sizeof(both));
  return _mm_loadh_pd(_mm_load_sd(x + static_cast<std::uint32_t>(both)), x + (both >> 32));
}
ROWHALO_AVX2 __m128 load_four(const float* x, const LocalIndex* columns) {
  std::uint64_t low = 0, high = 0;
  __builtin_memcpy(&low, columns, sizeof(low));
  __builtin_memcpy(&high, columns + 2, sizeof(high));
  const __m128 one = _mm_load_ss(x + static_cast<std::uint32_t>(low));
  const __m128 two = _mm_insert_ps(one, _mm_load_ss(x + (low >> 32)), 0x10);
  const __m128 three = _mm_insert_ps(two, _mm_load_ss(x + static_cast<std::uint32_t>(high)), 0x20);
  return _mm_insert_ps(three, _mm_load_ss(x + (high >> 32)), 0x30);
}

ROWHALO_AVX2 __m256d load_four(const double* x, const LocalIndex* columns) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(load_two(x, columns)),
                              load_two(x, columns + 2), 1);
}
ROWHALO_AVX2 __m256 load_eight(const float* x, const LocalIndex* columns) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(load_four(x, columns)),
                              load_four(x, columns + 4), 1);
}

/// result[l] = x[columns[l]], by ordinary loads.
ROWHALO_AVX2 void load_lanes(const double* x, const LocalIndex* columns, double* result) {
  _mm256_storeu_pd(result, load_four(x, columns));
}
ROWHALO_AVX2 void load_lanes(const float* x, const LocalIndex* columns, float* result) {
  _mm256_storeu_ps(result, load_eight(x, columns));
}

/// The same where columns[l] is not negative, else -0.
ROWHALO_AVX2 void load_present(const double* x, const LocalIndex* columns, double* result) {
  const __m128i own = _mm_loadu_si128(reinterpret_cast<const __m128i*>(columns));
  LocalIndex inside[4];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(inside), _mm_max_epi32(own, _mm_setzero_si128()));
  const __m256d signs = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(own));
  _mm256_storeu_pd(result, _mm256_blendv_pd(load_four(x, inside), _mm256_set1_pd(-0.0), signs));
}
ROWHALO_AVX2 void load_present(const float* x, const LocalIndex* columns, float* result) {
  const __m256i own = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns));
  LocalIndex inside[8];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(inside),
                      _mm256_max_epi32(own, _mm256_setzero_si256()));
  const __m256 signs = _mm256_castsi256_ps(own);
  _mm256_storeu_ps(result, _mm256_blendv_ps(load_eight(x, inside), _mm256_set1_ps(-0.0F), signs));
}

/// result[l] = codes[l], as many as a vector holds.
ROWHALO_AVX2 void widen(const std::uint16_t* codes, std::uint64_t* result) {
  const __m128i own = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(result), _mm256_cvtepu16_epi64(own));
}
ROWHALO_AVX2 void widen(const std::uint16_t* codes, std::uint32_t* result) {
  const __m128i own = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(result), _mm256_cvtepu16_epi32(own));
}

/// Of eight lanes l: result[l] = table[codes[l]], in fp64 the lower or the upper four. A
/// permutation of 32-bit words takes the lower halves of eight values, another one the upper
/// halves; the codes are so arranged that lanes of 128 bits, put together from both, have their
/// values in order.
ROWHALO_AVX2 void permute(const double* table, const std::uint8_t* codes, bool upper,
                          double* result) {
  const auto* words = reinterpret_cast<const float*>(table);
  const __m256 one = _mm256_loadu_ps(words), other = _mm256_loadu_ps(words + 8);
  std::int64_t eight = 0;
  __builtin_memcpy(&eight, codes, sizeof(eight));
  const __m256i places = _mm256_shuffle_epi8(
      _mm256_set1_epi64x(eight),
      _mm256_setr_epi8(0, -1, -1, -1, 1, -1, -1, -1, 4, -1, -1, -1, 5, -1, -1, -1,  //
                       2, -1, -1, -1, 3, -1, -1, -1, 6, -1, -1, -1, 7, -1, -1, -1));
  // Of values 0, 1, 4, 5, 2, 3, 6, 7; then of 0 to 7.
  const __m256d low_mixed = _mm256_castps_pd(_mm256_shuffle_ps(one, other, 0x88));
  const __m256d high_mixed = _mm256_castps_pd(_mm256_shuffle_ps(one, other, 0xdd));
  const __m256 low_words = _mm256_castpd_ps(_mm256_permute4x64_pd(low_mixed, 0xd8));
  const __m256 high_words = _mm256_castpd_ps(_mm256_permute4x64_pd(high_mixed, 0xd8));
  const __m256 low = _mm256_permutevar8x32_ps(low_words, places);
  const __m256 high = _mm256_permutevar8x32_ps(high_words, places);
  const __m256 values = upper ? _mm256_unpackhi_ps(low, high) : _mm256_unpacklo_ps(low, high);
  _mm256_storeu_pd(result, _mm256_castps_pd(values));
}
ROWHALO_AVX2 void permute(const float* table, const std::uint8_t* codes, bool, float* result) {
  const __m256i code =
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes)));
  const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), code);
  const __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), code);
  const __m256 beyond_seven = _mm256_castsi256_ps(_mm256_slli_epi32(code, 28));
  _mm256_storeu_ps(result, _mm256_blendv_ps(low, high, beyond_seven));
}

/// sums[l] = fma(values[l], x[l], sums[l])
ROWHALO_AVX2 void add_products(const double* values, const double* x, double* sums) {
  const __m256d own = _mm256_loadu_pd(values);
  _mm256_storeu_pd(sums, _mm256_fmadd_pd(own, _mm256_loadu_pd(x), _mm256_loadu_pd(sums)));
}
ROWHALO_AVX2 void add_products(const float* values, const float* x, float* sums) {
  const __m256 own = _mm256_loadu_ps(values);
  _mm256_storeu_ps(sums, _mm256_fmadd_ps(own, _mm256_loadu_ps(x), _mm256_loadu_ps(sums)));
}

/// The same where bit l of `mask` is set.
ROWHALO_AVX2 void add_masked(const double* values, const double* x, std::uint32_t mask,
                             double* sums) {
  const __m256i bits = _mm256_set_epi64x(8, 4, 2, 1);
  const __m256i own = _mm256_and_si256(_mm256_set1_epi64x(mask), bits);
  const __m256d has = _mm256_castsi256_pd(_mm256_cmpeq_epi64(own, bits));
  const __m256d before = _mm256_loadu_pd(sums);
  const __m256d after = _mm256_fmadd_pd(_mm256_loadu_pd(values), _mm256_loadu_pd(x), before);
  _mm256_storeu_pd(sums, _mm256_blendv_pd(before, after, has));
}
ROWHALO_AVX2 void add_masked(const float* values, const float* x, std::uint32_t mask, float* sums) {
  const __m256i bits = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
  const __m256i own = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask)), bits);
  const __m256 has = _mm256_castsi256_ps(_mm256_cmpeq_epi32(own, bits));
  const __m256 before = _mm256_loadu_ps(sums);
  const __m256 after = _mm256_fmadd_ps(_mm256_loadu_ps(values), _mm256_loadu_ps(x), before);
  _mm256_storeu_ps(sums, _mm256_blendv_ps(before, after, has));
}

/// Bit l of the result says whether index l of 32 is that of an entry. Padding: a distance whose
/// bits are all ones, a negative column.
ROWHALO_AVX2 std::uint32_t present(const std::uint8_t* indices) {
  const __m256i own = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(indices));
  const __m256i none = _mm256_cmpeq_epi8(own, _mm256_set1_epi8(-1));
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(none));
}
ROWHALO_AVX2 std::uint32_t present(const std::uint16_t* indices) {
  const auto* own = reinterpret_cast<const __m256i*>(indices);
  const __m256i ones = _mm256_set1_epi16(-1);
  const __m256i low = _mm256_cmpeq_epi16(_mm256_loadu_si256(own), ones);
  const __m256i high = _mm256_cmpeq_epi16(_mm256_loadu_si256(own + 1), ones);
  const __m256i none = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(none));
}
ROWHALO_AVX2 std::uint32_t present(const LocalIndex* indices) {
  std::uint32_t negative = 0;
  for (int l = 0; l < 32; l += 8) {
    const __m256i own = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(indices + l));
    const auto signs = static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(own)));
    negative |= signs << l;
  }
  return ~negative;
}

}  // namespace rowhalo::avx2
#endif

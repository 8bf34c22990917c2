# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in kernels/

fault "runs of nine columns" kernels/cpu/vbl.cpp \
  'next - first < longest_run' \
  'next - first <= longest_run'
fault "beta ignored" kernels/bits.hpp \
  'fused_multiply_add(alpha, sum, beta * y)' \
  'fused_multiply_add(alpha, sum, y)'
fault "y read when beta is 0" kernels/bits.hpp \
  'y = beta == 0 ? alpha * sum : ' \
  'y = '
fault "two roundings instead of one" kernels/bits.hpp \
  'return __builtin_fma(a, b, c);' \
  'return a * b + c;'
fault "slice end off by one" kernels/cpu/sell.cpp \
  'for (; first < end; first += C) add_step<Slots::may_be_empty, width>(a, first, sums);' \
  'for (; first < end - C; first += C) add_step<Slots::may_be_empty, width>(a, first, sums);'
fault "last partial slice forgotten" kernels/cpu/sell.cpp \
  'if (begin < end && whole < end) partial_slice' \
  'if (begin < end && whole + 1 < end) partial_slice'
fault "AVX2: the upper four of eight coded values are the lower ones" kernels/cpu/avx2.hpp \
  'upper ? _mm256_unpackhi_ps(low, high)' \
  'upper ? _mm256_unpacklo_ps(low, high)'
fault "AVX2: words of a table stay mixed" kernels/cpu/avx2.hpp \
  '_mm256_permute4x64_pd(high_mixed, 0xd8)' \
  '_mm256_permute4x64_pd(high_mixed, 0xe4)'
fault "AVX2: 16-bit distances have their lanes mixed" kernels/cpu/avx2.hpp \
  '_mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8)' \
  '_mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xe4)'
fault "AVX2: padding reads x[0]" kernels/cpu/avx2.hpp \
  '_mm256_blendv_pd(load_four(x, inside), _mm256_set1_pd(-0.0), signs)' \
  '_mm256_blendv_pd(load_four(x, inside), load_four(x, inside), signs)'
fault "AVX2: a lane of a mask is another one" kernels/cpu/avx2.hpp \
  '_mm256_set_epi64x(8, 4, 2, 1)' \
  '_mm256_set_epi64x(8, 2, 4, 1)'
fault "strips take no mask" kernels/cpu/lanes.hpp \
  'add_masked(values + g * width, own, mask >> (g * width), vectors[g]);' \
  'add_masked(values + g * width, own, ~0U, vectors[g]);'
fault "gap as wide as the code lost" kernels/cpu/asell_code.cpp \
  'for (; delta >= escape<Delta>; delta -= escape<Delta>) step();' \
  'for (; delta > escape<Delta>; delta -= escape<Delta>) step();'
fault "distances of asell end at the last column" kernels/cpu/asell_kernel.hpp \
  'std::min(next, next - all_columns)' \
  'std::min(next, ~all_columns)'
fault "distances of asell go on below column 0" kernels/cpu/asell_code.hpp \
  'return std::max(row + base, 0);' \
  'return row + base;'
fault "rows of a block have their own offsets" kernels/asell_code.hpp \
  'return row - row % block;' \
  'return row + 0 * block;'
fault "asell never takes bytes" kernels/cpu/asell_code.cpp \
  'consider(IndexCode::distances8, delta_steps<std::uint8_t>' \
  'if (false) consider(IndexCode::distances8, delta_steps<std::uint8_t>'
fault "lanes without an entry are summed" kernels/cpu/lanes.hpp \
  'sum = flags != 0 ? sum : before;' \
  'sum = flags != 1 << 30 ? sum : before;'
fault "mask of AVX-512 shifted" kernels/cpu/avx512.hpp \
  '_mm512_loadu_pd(sums), static_cast<__mmask8>(mask)));' \
  '_mm512_loadu_pd(sums), static_cast<__mmask8>(mask >> 1)));'
fault "-0 taken for +0" kernels/cpu/value_codes.hpp \
  'const Bits bits = std::bit_cast<Bits>(values[e]);' \
  'const Bits bits = std::bit_cast<Bits>(values[e] + T{0});'
fault "16 bits hold one value too many" kernels/fixed_point.hpp \
  'highest_ - lowest_ > largest_code * unit_' \
  'highest_ - lowest_ > (largest_code + 1) * unit_'
fault "-0 in 16 bits" kernels/fixed_point.hpp \
  ' || (value == 0 && bits != 0)' \
  ''
fault "16 bits far from zero" kernels/fixed_point.hpp \
  'const bool near = -most <= lowest_ && highest_ <= most;' \
  'const bool near = -8 * most <= lowest_ && highest_ <= 8 * most;'
fault "lanes of asell take the 16 bits of the next" kernels/cpu/asell_values.hpp \
  'const std::uint16_t* own = codes + slot + group * width;' \
  'const std::uint16_t* own = codes + slot + group * width + 1;'
fault "values that fp32 rounds are kept in it" kernels/cpu/coded_values.hpp \
  'if (std::bit_cast<Bits>(back) == std::bit_cast<Bits>(values[e])) continue;' \
  'if ((std::bit_cast<Bits>(back) ^ std::bit_cast<Bits>(values[e])) >> 30 == 0) continue;'
fault "positions of values count from the next" kernels/cpu/csr.cpp \
  'return a.distinct[stored];' \
  'return a.distinct[stored > 0 ? stored - 1 : 0];'
fault "long rows end with the shortest of their group" kernels/cpu/long_rows.hpp \
  'if constexpr (width > 1) add_side_by_side<width - 1>(a, x, rows, k, sums);' \
  '(void)k;'
fault "asell keeps long rows in slices" kernels/cpu/long_rows.cpp \
  'constexpr Offset fewest = 512, times_mean = 16;' \
  'constexpr Offset fewest = 51200000, times_mean = 16;'
fault "asell never sorts" kernels/cpu/sliced_rows.cpp \
  'if (fewest <= wanted || candidate >= list.count) break;' \
  'if (candidate >= 1) break;'
fault "the gather instruction reads the next lane's column" kernels/cpu/avx512.hpp \
  'const __m256i places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns));
  _mm512_storeu_pd' \
  'const __m256i places = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns)), _mm256_setr_epi32(1, 0, 2, 3, 4, 5, 6, 7));
  _mm512_storeu_pd'
fault "gather=on is not taken" kernels/cpu/gather_trial.hpp \
  'if (wanted == "on") return instruction;' \
  'if (wanted == "on") return loads;'
fault "the last piece of a sample is left out" kernels/cpu/gather_trial.hpp \
  'for (std::int64_t k = 0; k < pieces; ++k) {' \
  'for (std::int64_t k = 0; k + 1 < pieces; ++k) {'
fault "padding touches x" kernels/cpu/lanes.hpp \
  'result = sign < 0 ? -Vector{} : result;' \
  'result = sign < 0 ? Vector{} * result : result;'
fault "the longer shares come last" kernels/balanced_shares.hpp \
  '(part < longer ? part : longer)' \
  '(part < longer ? 0 : part - longer)'
fault "shares are no whole rounds of the warps" kernels/balanced_shares.cpp \
  'std::min(chunks, rounds * warps)' \
  'std::min(chunks, chunks / wanted)'
fault "a split row begins where it goes on" kernels/balanced_shares.cpp \
  'split_rows.push_back({ordinal, share - 1, share});' \
  'split_rows.push_back({ordinal, share, share});'
fault "rows split by one share are one" kernels/balanced_shares.cpp \
  'split_rows.empty() || split_rows.back().ordinal != ordinal' \
  'split_rows.empty() || split_rows.back().last + 1 != share'
fault "shares of long rows change places in a block" kernels/balanced_shares.cpp \
  'order[place] = together[begin + k];' \
  'order[place] = together[begin + count - 1 - k];'
fault "block taken for full" kernels/block_size.cpp \
  'return block.mask == ~std::uint64_t{0} >> (64 - b_ * b_);' \
  'return (block.mask | 1) == ~std::uint64_t{0} >> (64 - b_ * b_);'
fault "block size of the most bytes" kernels/block_size.cpp \
  'other.bytes < best.bytes' \
  'other.bytes > best.bytes'
fault "blocks are cheaper than they are" kernels/block_size.cpp \
  'if (best.bytes < csr) return best.size;' \
  'if (best.fill > 0) return best.size;'
fault "samples count no masks" kernels/block_size.cpp \
  'sample.masks += cover.is_full(block) ? 0 : 1;' \
  'sample.masks += 0;'
fault "last column of the block forgotten" kernels/cpu/hyb.cpp \
  'for (; k < a.width; ++k, slot += lanes)' \
  'for (; k + 1 < a.width; ++k, slot += lanes)'
fault "last row of a jagged diagonal lost" kernels/cpu/jds.cpp \
  'static_cast<LocalIndex>(std::min(lanes, longer - first))' \
  'static_cast<LocalIndex>(std::min(lanes, longer - first - 1))'
fault "list of hyb starts anew" kernels/cpu/hyb.cpp \
  'T sum = sums[row - first];' \
  'T sum = 0;'
fault "width of hyb by the short rows" kernels/cpu/hyb.cpp \
  'std::greater<>()' \
  'std::less<>()'
fault "ell pads without a limit" kernels/cpu/hyb.cpp \
  '{std::int64_t{width} * rows.count, listed' \
  '{listed_nonzeros(matrix, rows), listed'
fault "position taken for a row" kernels/cpu/jds.cpp \
  'sorted_[k] = rows_[order[k]];' \
  'sorted_[k] = order[k];'
fault "last coordinate of a chunk lost" kernels/cpu/hyb.cpp \
  'const Offset end = a.begins[chunk + 1];' \
  'const Offset end = a.begins[chunk + 1] - 1;'
fault "first row of a mask ignored" kernels/cpu/dia.cpp \
  'if (mask == whole_strip) {' \
  'if ((mask | 1) == whole_strip) {'
fault "mask of a block transposed" kernels/cpu/bsr.cpp \
  '(mask >> (i * b + j) & 1)' \
  '(mask >> (j * b + i) & 1)'
fault "mask of the last columns ignored" kernels/cpu/dense.cpp \
  'if (slots == Slots::may_be_empty && (masks[whole] >> l & 1) == 0) continue;' \
  ''

fault "little padding is refused" kernels/options.cpp \
  'times <= limit || bytes <= harmless_bytes' \
  'times <= limit'
fault "much padding is taken where it is few bytes" kernels/options.cpp \
  'times <= limit || bytes <= harmless_bytes' \
  'bytes <= harmless_bytes'
fault "slots cost the same in fp32" kernels/options.cpp \
  'matrix_value_bytes(padding.matrix.precision)' \
  'sizeof(double)'
fault "two distinct values pass for one" kernels/local_statistics.cpp \
  'if (distinct.size() == 1) return 0;' \
  'if (distinct.size() <= 2) return 0;'
fault "both lanes of a pair read the first column" kernels/cpu/avx2.hpp \
  'x + static_cast<std::uint32_t>(both)), x + (both >> 32));' \
  'x + static_cast<std::uint32_t>(both)), x + static_cast<std::uint32_t>(both));'
fault "ROWHALO_SIMD is not looked at" kernels/cpu/isa.cpp \
  'return isa <= isa_limit() && cpu_has(isa);' \
  'return cpu_has(isa);' test_kernels
fault "the matrix counted once per vector" kernels/spmv_kernel.cpp \
  'if (!takes_several()) work.matrix_bytes' \
  'work.matrix_bytes'
fault "several vectors: the last register is the first" kernels/cpu/several.hpp \
  'return v == count - 1 ? vectors - width : v * width;' \
  'return v == count - 1 ? 0 : v * width;'
fault "several vectors: y read when beta is 0" kernels/cpu/several.hpp \
  'if (beta == 0) {' \
  'if (beta == alpha) {'
fault "several vectors: streamed rows lack their last entry" kernels/cpu/several.hpp \
  'std::copy(from + k, from + size, to + k);' \
  'std::copy(from + k, from + size - 1, to + k);'
fault "several vectors: the last entry of a longer row" kernels/cpu/several_csr.hpp \
  'Offset e = first; e < last; ++e' \
  'Offset e = first; e + 1 < last; ++e'
fault "several vectors: the mask of another lane" kernels/cpu/several_slices.hpp \
  '(step.mask >> lane[r] & 1) == 0' \
  '(step.mask >> lane[r] & 2) == 0'
fault "several vectors: distances begin anew in every piece" kernels/cpu/asell_several.hpp \
  'if (begin == 0) {' \
  'if (begin >= 0) {'
fault "several vectors: diagonals beyond the first piece" kernels/cpu/dia.cpp \
  'piece.begins = d == 0;' \
  'piece.begins = true;'
fault "several vectors: a row of a block is finished twice" kernels/cpu/bsr.cpp \
  'a.b - 4, 8 - a.b, y' \
  'a.b - 4, 7 - a.b, y'

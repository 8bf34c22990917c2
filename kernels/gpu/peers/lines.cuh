// SPDX-License-Identifier: BSD-3-Clause
//
// Lines: a word of data and the number of its exchange in one store, so that whoever finds the
// number has the word, and no fence is needed (NCCL calls this LL). A line is one 8-byte word: at
// most 4 bytes of data and the 4-byte number. Data of 8 bytes take two such words (16 bytes), each
// with the number, and the receiver checks both: only 8-byte stores need to be atomic.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rowhalo {

__device__ inline void put_line(std::byte* line, std::uint64_t word, std::uint32_t exchange) {
  const std::uint64_t low = word << 32 | exchange;
  const std::uint64_t high = (word >> 32) << 32 | exchange;
  asm volatile("st.relaxed.sys.global.v2.b64 [%0], {%1, %2};" ::"l"(line), "l"(low), "l"(high)
               : "memory");
}
template <class Word>
__device__ void put_line(std::byte* line, Word word, std::uint32_t exchange) {
  const std::uint64_t both = std::uint64_t{word} << 32 | exchange;
  asm volatile("st.relaxed.sys.global.b64 [%0], %1;" ::"l"(line), "l"(both) : "memory");
}

/// Whether the line is that of `exchange`; then `word` is its data.
__device__ inline bool take_line(const std::byte* line, std::uint32_t exchange,
                                 std::uint64_t& word) {
  std::uint64_t low, high;
  asm volatile("ld.relaxed.sys.global.v2.b64 {%0, %1}, [%2];"
               : "=l"(low), "=l"(high)
               : "l"(line)
               : "memory");
  word = low >> 32 | (high >> 32) << 32;
  return static_cast<std::uint32_t>(low) == exchange &&
         static_cast<std::uint32_t>(high) == exchange;
}
template <class Word>
__device__ bool take_line(const std::byte* line, std::uint32_t exchange, Word& word) {
  std::uint64_t both;
  asm volatile("ld.relaxed.sys.global.b64 %0, [%1];" : "=l"(both) : "l"(line) : "memory");
  word = static_cast<Word>(both >> 32);
  return static_cast<std::uint32_t>(both) == exchange;
}

}  // namespace rowhalo

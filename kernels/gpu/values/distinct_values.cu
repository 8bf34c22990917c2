// SPDX-License-Identifier: BSD-3-Clause
//
// Distinct numbers by a hash table with open addressing in device memory (distinct_values.hpp). A
// number that is there already costs a load; one that is not, an atomic compare and swap.
#include <algorithm>

#include "kernels/gpu/device/runtime.hpp"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/values/distinct_values.hpp"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

constexpr unsigned places = 1024;  // a quarter full at the most
using Key = unsigned long long;
/// No number: a double of these bits counts as too many numbers.
constexpr Key no_key = ~0ull;

__device__ unsigned place_of(Key key) {
  return static_cast<unsigned>((key * 0x9e3779b97f4a7c15ull) >> 54);
}

/// `found`: how many; above most_distinct_values: too many.
template <class Word>
__global__ void collect(const Word* numbers, Offset count, Key* table, unsigned* found) {
  const std::int64_t stride = thread_count();
  const volatile Key* seen = table;
  const volatile unsigned* seen_count = found;
  for (std::int64_t e = thread_index(); e < count; e += stride) {
    const Key key = numbers[e];
    if (key == no_key) *found = most_distinct_values + 1;
    for (unsigned place = place_of(key);; place = (place + 1) % places) {
      const Key there = seen[place];  // read once: it may become `key` at any time
      if (there == key) break;
      if (*seen_count > most_distinct_values) return;
      if (there != no_key) continue;
      const Key before = atomicCAS(&table[place], no_key, key);
      if (before == no_key) atomicAdd(found, 1u);
      if (before == no_key || before == key) break;
    }
  }
}

}  // namespace

std::vector<std::uint64_t> distinct_values(const CsrView& matrix) {
  if (matrix.nonzeros == 0) return {};
  const auto table = filled_array<Key>(places, 0xff);
  const auto found = filled_array<unsigned>(1);
  with_word(matrix_value_bytes(matrix.precision), [&]<class Word>(Word) {
    launch_filling(collect<Word>, matrix.nonzeros, static_cast<const Word*>(matrix.values),
                   matrix.nonzeros, table.data(), found.data());
  });
  if (found.back() > most_distinct_values) return {};
  std::vector<std::uint64_t> bits;
  for (const Key key : table.to_host()) {
    if (key != no_key) bits.push_back(key);
  }
  std::sort(bits.begin(), bits.end());
  return bits;
}

}  // namespace rowhalo

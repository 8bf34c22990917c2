// SPDX-License-Identifier: BSD-3-Clause
//
// Looks at the values of a local matrix: whether few are distinct, whether 16 bits hold them
// (fixed_point.hpp), and if not, stores them as fp32 where that is exact (exact_values.hpp). There
// -0, Inf and numbers below the normal range of fp32 are told by their bits; a NaN that conversion
// would change is not exact.
#include "kernels/gpu/values/exact_values.hpp"

#include <cub/block/block_reduce.cuh>

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

/// The bits of all stored numbers of the local matrix, each once, ascending, told apart by their
/// bits (so +0 and -0 are two numbers); empty when there are more than most_distinct_values of
/// them. A hash table with open addressing in device memory: a number that is there already costs a
/// load; one that is not, an atomic compare and swap. Ends at once where they are many.
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

/// All threads stop soon after one has found values that do not fit together.
template <class T>
__global__ void find_ranges(const T* values, Offset count, ValueRange<T>* of_blocks,
                            int* too_wide) {
  using Reduce = cub::BlockReduce<ValueRange<T>, conversion_threads>;
  __shared__ typename Reduce::TempStorage room;
  const std::int64_t stride = thread_count();
  const volatile int* found = too_wide;
  ValueRange<T> own;
  for (std::int64_t e = thread_index(); e < count && *found == 0; e += stride) {
    own.add(values[e]);
    if (own.too_wide()) *too_wide = 1;
  }
  const ValueRange<T> all =
      Reduce(room).Reduce(own, [](ValueRange<T> one, const ValueRange<T>& other) {
        one.add(other);
        return one;
      });
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = all;
}

/// Nothing where 16 bits do not hold them.
template <class T>
std::optional<FixedPoint> fixed_point_of(const CsrView& matrix) {
  const DeviceArray<ValueRange<T>> of_blocks(filling_blocks(matrix.nonzeros, conversion_threads));
  const auto too_wide = filled_array<int>(1);
  launch_filling(find_ranges<T>, matrix.nonzeros, static_cast<const T*>(matrix.values),
                 matrix.nonzeros, of_blocks.data(), too_wide.data());
  if (too_wide.back() != 0) return {};
  ValueRange<T> all;
  for (const ValueRange<T>& range : of_blocks.to_host()) all.add(range);
  return all.fits() ? std::optional(all.fixed_point()) : std::nullopt;
}

/// All threads stop soon after one has found a value that is not exact.
__global__ void find_inexact(const double* values, Offset count, int* inexact) {
  const std::int64_t stride = thread_count();
  const volatile int* found = inexact;
  for (std::int64_t e = thread_index(); e < count && *found == 0; e += stride) {
    const double value = values[e], single = __double2float_rn(value);
    if (__double_as_longlong(single) != __double_as_longlong(value)) *inexact = 1;
  }
}

__global__ void store_singles(const double* values, Offset count, float* singles) {
  const std::int64_t stride = thread_count();
  for (std::int64_t e = thread_index(); e < count; e += stride) {
    singles[e] = __double2float_rn(values[e]);
  }
}

/// Empty where some value is not exact in fp32, or memory lacks.
DeviceMemory singles_of(const CsrView& matrix) {
  const auto* values = static_cast<const double*>(matrix.values);
  const auto inexact = filled_array<int>(1);
  launch_filling(find_inexact, matrix.nonzeros, values, matrix.nonzeros, inexact.data());
  if (inexact.back() != 0) return {};
  try {
    DeviceMemory singles(static_cast<std::size_t>(matrix.nonzeros) * sizeof(float));
    launch_filling(store_singles, matrix.nonzeros, values, matrix.nonzeros,
                   reinterpret_cast<float*>(singles.data()));
    synchronize_device();
    return singles;
  } catch (const OutOfDeviceMemory&) {
    return {};
  }
}

}  // namespace

ExactValues exact_values(const CsrView& matrix, const Spec& options, std::int64_t least_saved) {
  ExactValues exact;
  if (!wants_value_codes(matrix, options) || matrix.nonzeros == 0) return exact;
  if (options.has("codes")) least_saved = 0;
  const auto pays = [&](int saved) { return matrix.nonzeros * saved >= least_saved; };
  const auto value_bytes = static_cast<int>(matrix_value_bytes(matrix.precision));
  if (!pays(value_bytes)) return exact;
  const double start = host_seconds();
  exact.distinct = distinct_values(matrix);
  if (exact.distinct.size() > 1 && !pays(value_bytes - 1)) exact.distinct.clear();
  if (exact.distinct.empty() && pays(value_bytes - 2)) {
    if (value_bytes == sizeof(double)) exact.fixed = fixed_point_of<double>(matrix);
    if (value_bytes == sizeof(float)) exact.fixed = fixed_point_of<float>(matrix);
  }
  if (exact.distinct.empty() && !exact.fixed && matrix.precision == Precision::fp64 && pays(4)) {
    exact.singles = singles_of(matrix);
  }
  exact.seconds = host_seconds() - start;
  return exact;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Looks at the values of a local matrix: whether few are distinct, whether 16 bits hold them
// (fixed_point.hpp), and if not, stores them as fp32 where that is exact (exact_values.hpp). There
// -0, Inf and numbers below the normal range of fp32 are told by their bits; a NaN that conversion
// would change is not exact.
#include "kernels/gpu/values/exact_values.hpp"

#include <cub/block/block_reduce.cuh>

#include "kernels/gpu/values/positions.cuh"
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

/// Empty where some value is not exact in fp32, or memory lacks.
DeviceMemory singles_of(const CsrView& matrix) {
  const auto* values = static_cast<const double*>(matrix.values);
  const auto inexact = filled_array<int>(1);
  launch_filling(find_inexact, matrix.nonzeros, values, matrix.nonzeros, inexact.data());
  if (inexact.back() != 0) return {};
  try {
    DeviceMemory singles(static_cast<std::size_t>(matrix.nonzeros) * sizeof(float));
    auto* const result = reinterpret_cast<float*>(singles.data());
    for_each_item(matrix.nonzeros,
                  [=] __device__(std::int64_t e) { result[e] = __double2float_rn(values[e]); });
    synchronize_device();
    return singles;
  } catch (const OutOfDeviceMemory&) {
    return {};
  }
}

/// The entry whose code stands at `place`.
__device__ Offset entry_at(std::int64_t place, CodeOrder order) {
  constexpr int chunk = 256, lane_entries = chunk / warp_size;
  if (order == CodeOrder::of_entries) return place;
  const std::int64_t in_chunk = place % chunk;
  return place - in_chunk + in_chunk % lane_entries * warp_size + in_chunk / lane_entries;
}

/// code(value) of all entries, 0 behind the last.
template <class Code, class Stored, class Encode>
__global__ void write_codes(const Stored* values, Offset entries, CodeOrder order, Encode encode,
                            std::int64_t places, Code* codes) {
  const std::int64_t place = thread_index();
  if (place >= places) return;
  const Offset e = entry_at(place, order);
  codes[place] = e < entries ? static_cast<Code>(encode(values[e])) : Code{0};
}

}  // namespace

ExactValues exact_values(const CsrView& matrix, const Spec& options, std::int64_t least_saved) {
  ExactValues exact;
  if (!wants_value_codes(matrix, options) || matrix.nonzeros == 0) return exact;
  if (options.has("codes")) least_saved = 0;
  const auto pays = [&](int saved) { return matrix.nonzeros * saved >= least_saved; };
  const auto value_bytes = static_cast<int>(matrix_value_bytes(matrix.precision));
  if (!pays(value_bytes)) return exact;
  exact.distinct = distinct_values(matrix);
  if (exact.distinct.size() > 1 && !pays(value_bytes - 1)) exact.distinct.clear();
  if (exact.distinct.empty() && pays(value_bytes - 2)) {
    if (value_bytes == sizeof(double)) exact.fixed = fixed_point_of<double>(matrix);
    if (value_bytes == sizeof(float)) exact.fixed = fixed_point_of<float>(matrix);
  }
  if (exact.distinct.empty() && !exact.fixed && matrix.precision == Precision::fp64 && pays(4)) {
    exact.singles = singles_of(matrix);
  }
  return exact;
}

template <class Stored, class Number>
ValueCodes value_codes(const Stored* values, Offset entries, const ExactValues& exact,
                       CodeOrder order) {
  ValueCodes codes;
  const auto write = [&]<class Code>(DeviceArray<Code>& result, const auto& encode) {
    result = DeviceArray<Code>((entries + 255) / 256 * 256);
    launch_items(write_codes<Code, Stored, std::decay_t<decltype(encode)>>, result.size(), values,
                 entries, order, encode, result.size(), result.data());
    synchronize_device();  // before the table goes
  };
  if (exact.distinct.size() > 1) {
    const DeviceMemory stored = table_of<Stored, Stored>(exact.distinct);
    const auto* const table = reinterpret_cast<const BitsOf<Stored>*>(stored.data());
    const int size = static_cast<int>(exact.distinct.size());
    write(codes.positions, [=] __device__(Stored value) {
      return position_of(std::bit_cast<BitsOf<Stored>>(value), table, size);
    });
  }
  if (!exact.distinct.empty()) {
    codes.table = table_of<Stored, Number>(exact.distinct);
    codes.distinct = exact.distinct.size();
  } else if (exact.fixed) {
    codes.point = *exact.fixed;
    const FixedPointCode<Stored> fixed(codes.point);
    write(codes.fixed, [=] __device__(Stored value) { return fixed.code(value); });
  }
  return codes;
}
template ValueCodes value_codes<double, double>(const double*, Offset, const ExactValues&,
                                                CodeOrder);
template ValueCodes value_codes<float, float>(const float*, Offset, const ExactValues&, CodeOrder);
template ValueCodes value_codes<float, double>(const float*, Offset, const ExactValues&, CodeOrder);

}  // namespace rowhalo

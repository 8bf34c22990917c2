// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of asell: SELL-32-sigma whose slices have codes for columns (the format: asell.cpp). A
// warp owns a slice of 32 rows, a lane one row. Ten nonzeros, four of the 32 lanes drawn:
//
//   matrix             the slice in the code `offsets`               what the warp reads per step
//   a00 a01            lane 0   lane 1   lane 2   lane 3
//   a10 a11 a12        -        a10      a21      a32     step 0     offset -1, mask 1110
//       a21 a22 a23    a00      a11      a22      a33     step 1     offset  0, mask 1111
//           a32 a33    a01      a12      a23      -       step 2     offset +1, mask 0111
//
//   lane 1: s = fma(a10, x[1 - 1], +0); s = fma(a11, x[1 + 0], s); s = fma(a12, x[1 + 1], s)
//   lane 0: step 0 is a slot without an entry: x[0] is loaded, the product discarded; then a00, a01
//   Bit l of a mask is lane l: lane 0 is the rightmost digit. An offset is column - anchor. The
//   anchor is the row itself; in a matrix of b x b blocks, the first row of the row's block.
//
// The same slice in the other codes, where each lane has codes of its own. A distance counts from
// the column before, the first one from row + base. base is the smallest (first column - row) of
// the slice, here -1. Columns are the columns themselves. Step 2 of lanes 0 and 3 has no entry:
//   distances  lane 0: 1 1 ones   lane 1: 0 1 1   lane 2: 0 1 1   lane 3: 0 1 ones
//   columns    lane 0: 0 1 -1     lane 1: 0 1 2   lane 2: 1 2 3   lane 3: 2 3 -1
// A distance of all ones (255 or 65535) holds no entry, but the column advances by it. It pads the
// end of a row. Before a gap that is too wide for one distance, it is an escape.
//
// Where step s of lane l lies; a 32-bit word has n codes: 4 or 2 distances, or 1 column:
//   offset, mask       patterns[slice.codes + s], the same for all lanes
//   distance, column   words[(slice.codes + s / n) * 32 + l], code s % n of it from the lowest bits
//   value              values[(slice.values + s) * 32 + l]; a constant is table[0]
//     of a dictionary  words at values[(slice.values + s / 4) * 32 + l], byte s % 4 from the lowest
//                      bits: the position in the table
// Two dependent loads come before that of x: the slice, then its codes.
//
// In general, for thread k: slice = k / 32, lane = k % 32; i = rows[k]; s = +0
//     for step in [0, steps of the slice): column = next column by the slice's code, or none
//       if there is one: s = fma(value of slot (step, lane), x[column], s)
//     y_i = beta == 0 ? alpha * s : fma(alpha, s, beta * y_i)
//   where asked for: dots[slice] = the sum of x[i] * y_i over its rows
// The code is the same for a whole warp, so its branch costs nothing. As in sell, several steps are
// loaded before the first of them is summed. With a dictionary, loads and instructions of a step
// bound the kernel, not memory: its table lies in shared memory.
#include "kernels/choice.hpp"
#include "kernels/gpu/asell/asell.hpp"
#include "kernels/gpu/asell/asell_tuning.hpp"
#include "kernels/gpu/device/early_start.cuh"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

// Where the columns of a lane come from. load() gives the next `unroll` of them in column[], and
// has(there[]) tells which have an entry; the others are 0. Beyond the last of `left` steps, no
// offset and no column is read. Distances are read in whole words: those beyond the last step are
// all ones, so that they hold no entry. Only there[] is kept while x is loaded: registers decide
// how many warps are resident at once. __syncwarp() is for the compiler: it keeps the loads before
// it ahead of what follows (LoadOrder). No lane needs to wait for another.

struct OffsetColumns {
  const OffsetStep* steps;
  LocalIndex anchor;  ///< of the lane's row
  unsigned lane_bit;

  template <LoadOrder order, int unroll>
  __device__ void load(int left, unsigned (&there)[unroll], LocalIndex (&column)[unroll]) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      int2 step{0, 0};
      if (u < left) step = cached(reinterpret_cast<const int2*>(steps) + u);
      there[u] = static_cast<unsigned>(step.y);
      column[u] = has(there[u]) ? anchor + step.x : 0;
    }
    steps += unroll;
  }
  __device__ bool has(unsigned there) const {
    return (there & lane_bit) != 0;
  }
};

template <IndexCode code>
struct DistanceColumns {
  const std::uint32_t* words;  ///< of this lane; those of a lane lie warp_size apart
  LocalIndex column_before;

  template <LoadOrder order, int unroll>
  __device__ void load(int left, unsigned (&there)[unroll], LocalIndex (&column)[unroll]) {
    constexpr int per_word = codes_per_word(code), bits = 32 / per_word;
    constexpr unsigned ones = (1u << bits) - 1;
    std::uint32_t word[unroll / per_word];
#pragma unroll
    for (int w = 0; w < unroll / per_word; ++w) {
      word[w] = ~0u;
      if (w * per_word < left) word[w] = streamed(words + w * warp_size);
    }
    if constexpr (order == LoadOrder::streams_first) __syncwarp();
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const unsigned distance = word[u / per_word] >> (u % per_word * bits) & ones;
      column_before += static_cast<LocalIndex>(distance);
      there[u] = distance != ones ? 1 : 0;
      column[u] = distance != ones ? column_before : 0;
    }
    words += unroll / per_word * warp_size;
  }
  __device__ bool has(unsigned there) const {
    return there != 0;
  }
};

struct WholeColumns {
  const std::uint32_t* words;

  template <LoadOrder order, int unroll>
  __device__ void load(int left, unsigned (&there)[unroll], LocalIndex (&column)[unroll]) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      there[u] = ~0u;
      if (u < left) there[u] = streamed(words + u * warp_size);
    }
    if constexpr (order == LoadOrder::streams_first) __syncwarp();
#pragma unroll
    for (int u = 0; u < unroll; ++u) column[u] = max(static_cast<LocalIndex>(there[u]), 0);
    words += unroll * warp_size;
  }
  __device__ bool has(unsigned there) const {
    return static_cast<int>(there) >= 0;
  }
};

// Where its values come from, in the same way; without an entry any value will do.

template <class Matrix>
struct PlainValues {
  const Matrix* values;  ///< of this lane

  template <int unroll>
  __device__ void load(int left, Matrix (&value)[unroll]) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      value[u] = Matrix{};
      if (u < left) value[u] = streamed(values + u * warp_size);
    }
    values += unroll * warp_size;
  }
};

template <class Matrix>
struct DictionaryValues {
  const std::uint32_t* words;
  const Matrix* table;  ///< in shared memory

  /// Prefetches what the warp reads after the first `unroll` of `steps` steps: one line of 4 steps
  /// per lane, so the 128 steps that follow. These then wait for memory once, not once per batch of
  /// `unroll`; a longer slice waits again.
  __device__ void ask(int steps, int unroll, int lane) const {
    const int row = unroll / values_per_word + lane;
    if (row * values_per_word < steps) prefetch(words + (row * warp_size - lane));
  }

  template <int unroll>
  __device__ void load(int left, Matrix (&value)[unroll]) {
    static_assert(unroll % values_per_word == 0);
#pragma unroll
    for (int w = 0; w < unroll / values_per_word; ++w) {
      const std::uint32_t word = w * values_per_word < left ? streamed(words + w * warp_size) : 0;
#pragma unroll
      for (int u = 0; u < values_per_word; ++u) {
        value[w * values_per_word + u] = table[word >> (8 * u) & 0xff];
      }
    }
    words += unroll / values_per_word * warp_size;
  }
};

template <class Matrix>
struct FixedPointValues {
  const std::uint16_t* codes;  ///< of this lane
  FixedPointCode<Matrix> code;

  template <int unroll>
  __device__ void load(int left, Matrix (&value)[unroll]) {
    std::uint16_t stored[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      stored[u] = 0;
      if (u < left) stored[u] = streamed(codes + u * warp_size);
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) value[u] = code.value(stored[u]);
    codes += unroll * warp_size;
  }
};

template <class Matrix>
struct ConstantValue {
  Matrix number;

  template <int unroll>
  __device__ void load(int, Matrix (&value)[unroll]) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) value[u] = number;
  }
};

/// Adds the next `unroll` of `left` steps; left >= unroll is known at compile time in the loop. The
/// last parameter only names the type Matrix.
template <int unroll, LoadOrder order, class Columns, class Values, class Vector, class Sum,
          class Matrix>
__device__ void add_steps(int left, Columns& columns, Values& values, const Vector* x, Sum& sum,
                          const Matrix&) {
  unsigned there[unroll];
  LocalIndex column[unroll];
  Matrix value[unroll];
  Vector factor[unroll];
  values.load(left, value);
  columns.template load<order>(left, there, column);
#pragma unroll
  for (int u = 0; u < unroll; ++u) factor[u] = cached(x + column[u]);
  if constexpr (order != LoadOrder::compilers) __syncwarp();
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    const Sum next = fused_multiply_add(widened<Sum>(value[u]), widened<Sum>(factor[u]), sum);
    sum = columns.has(there[u]) ? next : sum;
  }
}

template <int unroll, int few, LoadOrder order, class Numbers, class Columns, class Values>
__device__ typename Numbers::Sum slice_sum(int steps, Columns columns, Values values,
                                           const typename Numbers::Vector* x) {
  typename Numbers::Sum sum = 0;
  const typename Numbers::Matrix type{};
#pragma unroll 1
  for (; steps >= unroll; steps -= unroll)
    add_steps<unroll, order>(unroll, columns, values, x, sum, type);
  if (few < unroll && steps <= few) {
    if (steps > 0) add_steps<few, order>(steps, columns, values, x, sum, type);
  } else if (steps > 0) {
    add_steps<unroll, order>(steps, columns, values, x, sum, type);
  }
  return sum;
}

template <class Numbers, ValueCode code>
__device__ auto values_of(const AsellArguments<Numbers>& a, const AsellSlice& slice, unsigned lane,
                          const typename Numbers::Matrix* table) {
  using Matrix = typename Numbers::Matrix;
  const std::int64_t first = std::int64_t{slice.values} * warp_size + lane;
  if constexpr (code == ValueCode::plain) {
    return PlainValues<Matrix>{static_cast<const Matrix*>(a.values) + first};
  } else if constexpr (code == ValueCode::dictionary) {
    return DictionaryValues<Matrix>{static_cast<const std::uint32_t*>(a.values) + first, table};
  } else if constexpr (code == ValueCode::fixed) {
    return FixedPointValues<Matrix>{static_cast<const std::uint16_t*>(a.values) + first, a.fixed};
  } else {
    return ConstantValue<Matrix>{cached(a.table)};
  }
}

/// The sum of a lane's row, by the code of its slice.
template <Shape shape, class Numbers, class Values>
__device__ typename Numbers::Sum sum_by_code(const AsellArguments<Numbers>& a,
                                             const AsellSlice& slice, LocalIndex row, unsigned lane,
                                             const Values& values) {
  const auto steps = static_cast<int>(slice.steps());
  const std::uint32_t* words = a.words + std::int64_t{slice.codes} * warp_size + lane;
  if (slice.code() == IndexCode::offsets) {
    const LocalIndex anchor = a.block == 1 ? row : anchor_of(row, a.block);
    const OffsetColumns columns{a.patterns + slice.codes, anchor, 1u << lane};
    return slice_sum<shape.plain, shape.few, shape.order, Numbers>(steps, columns, values, a.x);
  }
  if (slice.code() == IndexCode::distances8) {
    const DistanceColumns<IndexCode::distances8> columns{words, row + slice.base};
    return slice_sum<shape.packed, shape.few, shape.order, Numbers>(steps, columns, values, a.x);
  }
  if (slice.code() == IndexCode::distances16) {
    const DistanceColumns<IndexCode::distances16> columns{words, row + slice.base};
    return slice_sum<shape.packed, shape.few, shape.order, Numbers>(steps, columns, values, a.x);
  }
  const WholeColumns columns{words};
  return slice_sum<shape.plain, shape.few, shape.order, Numbers>(steps, columns, values, a.x);
}

/// Whether a kernel tests for an array `dots` and fills it; otherwise it writes none. With a
/// dictionary the test alone costs 3 % (elasticity:60 on an H200), so that there are two kernels.
enum class Dots { no, if_wanted };

template <class Numbers, ValueCode value_code, Unroll unroll, Dots dots>
__global__ void __launch_bounds__(asell_threads, shape_of<Numbers>(unroll, value_code).blocks)
    asell_kernel(AsellArguments<Numbers> a) {
  using Matrix = typename Numbers::Matrix;
  constexpr Shape shape = shape_of<Numbers>(unroll, value_code);
  constexpr bool has_dictionary = value_code == ValueCode::dictionary;
  // The step of a solver that adds the dots is launched while the last rows are multiplied.
  if constexpr (dots == Dots::if_wanted) let_next_start();
  __shared__ Matrix table[has_dictionary ? most_distinct_values : 1];
  const unsigned slice_index = blockIdx.x * (asell_threads / warp_size) + threadIdx.x / warp_size;
  const unsigned lane = threadIdx.x % warp_size, k = slice_index * warp_size + lane;
  const auto count = static_cast<unsigned>(a.rows.count);
  const bool none = slice_index * warp_size >= count;
  // With a dictionary all threads of the block load the table and wait for it.
  if (!has_dictionary && none) return;
  constexpr unsigned slices_per_line = 128 / sizeof(AsellSlice);
  if (lane == 0 && slice_index % slices_per_line == 0 &&
      (slice_index + described_ahead) * warp_size < count) {
    prefetch(a.slices + slice_index + described_ahead);
  }
  // All loads before the first wait, which is that of the thread block for its table.
  static_assert(most_distinct_values <= 2 * asell_threads);
  constexpr unsigned half = asell_threads;
  Matrix low{}, high{};
  if (has_dictionary && threadIdx.x < a.table_size) low = cached(a.table + threadIdx.x);
  if (has_dictionary && half + threadIdx.x < a.table_size)
    high = cached(a.table + half + threadIdx.x);
  const AsellSlice slice = a.slices[none ? 0 : slice_index];
  // Lanes beyond the last row have no entries.
  const LocalIndex row = k < count ? a.rows[static_cast<LocalIndex>(k)] : -1;
  if constexpr (has_dictionary) {
    if (threadIdx.x < a.table_size) table[threadIdx.x] = low;
    if (half + threadIdx.x < a.table_size) table[half + threadIdx.x] = high;
    __syncthreads();
    if (none) return;
  }
  const auto values = values_of<Numbers, value_code>(a, slice, lane, table);
  if constexpr (has_dictionary && unroll == Unroll::medium) {
    // shape.packed is the same: shape_of() gives both 8 steps with a dictionary.
    values.ask(static_cast<int>(slice.steps()), shape.plain, lane);
  }
  const auto sum = sum_by_code<shape>(a, slice, row, lane, values);
  if (row >= 0) finish_row(a.alpha, sum, a.beta, a.y[row]);
  if constexpr (dots == Dots::if_wanted) {
    if (a.dots == nullptr) return;
    const double dot = sum_of_lanes(row >= 0 ? cached(a.x + row) * a.y[row] : 0);
    if (lane == 0) a.dots[slice_index] = dot;
  }
}

template <class Numbers, ValueCode values, Unroll unroll>
void launch(const AsellArguments<Numbers>& arguments, cudaStream_t stream) {
  const unsigned blocks = blocks_for(arguments.rows.count, asell_threads);
  constexpr bool able = sums_dot<Numbers>(values), two_kernels = in_table(values);
  constexpr Dots dots = able ? Dots::if_wanted : Dots::no;
  if (!two_kernels || arguments.dots != nullptr) {
    asell_kernel<Numbers, values, unroll, dots><<<blocks, asell_threads, 0, stream>>>(arguments);
  } else {
    asell_kernel<Numbers, values, unroll, Dots::no>
        <<<blocks, asell_threads, 0, stream>>>(arguments);
  }
}

/// With a dictionary or a constant there are two kernels, low and medium. With a dictionary there
/// are two of each if they can sum dots (Dots).
template <class Numbers, ValueCode values>
AsellLaunch<Numbers> launch_of(Unroll unroll) {
  return with_choice<0, 1, 2, 3>(static_cast<int>(unroll), [](auto u) -> AsellLaunch<Numbers> {
    constexpr int most = in_table(values) ? 1 : 3;
    return launch<Numbers, values, static_cast<Unroll>(u < most ? int{u} : most)>;
  });
}

}  // namespace

template <class Numbers>
AsellLaunch<Numbers> asell_launch(ValueCode values, Unroll unroll) {
  switch (values) {
    case ValueCode::dictionary:
      return launch_of<Numbers, ValueCode::dictionary>(unroll);
    case ValueCode::constant:
      return launch_of<Numbers, ValueCode::constant>(unroll);
    case ValueCode::by_step:
      return asell_by_step_launch<Numbers>(unroll);
    case ValueCode::fixed:
      if constexpr (takes_coded_values<Numbers>) {
        return launch_of<Numbers, ValueCode::fixed>(unroll);
      }
      break;
    case ValueCode::plain:
      break;
  }
  return launch_of<Numbers, ValueCode::plain>(unroll);
}

template AsellLaunch<NumberTypes<double, double, double>> asell_launch(ValueCode, Unroll);
template AsellLaunch<NumberTypes<float, float, float>> asell_launch(ValueCode, Unroll);
template AsellLaunch<NumberTypes<float, double, double>> asell_launch(ValueCode, Unroll);
template AsellLaunch<NumberTypes<__half, __half, float>> asell_launch(ValueCode, Unroll);
template AsellLaunch<NumberTypes<__nv_bfloat16, __nv_bfloat16, float>> asell_launch(ValueCode,
                                                                                    Unroll);

}  // namespace rowhalo

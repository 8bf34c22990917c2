// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of asell (the format: asell.cpp). A warp a slice of 32 rows, a thread a row:
//   for thread k: slice = k / 32, lane = k % 32; i = rows[k]; s = +0
//     for step in [0, steps of the slice): column = next column by the slice's code, or none
//       if there is one: s = fma(value of slot (step, lane), x[column], s)
//     y_i = beta == 0 ? alpha * s : fma(alpha, s, beta * y_i)
// The code is the same for a whole warp, so its branch costs nothing. As in sell, several steps are
// loaded before the first of them is summed; a slot without an entry loads x[0] in place of
// nothing, and the sum discards it.
#include "kernels/gpu/asell.hpp"
#include "kernels/gpu/bits.cuh"
#include "kernels/gpu/launch.hpp"

namespace rowhalo {
namespace {

constexpr int block_threads = 128;

/// Steps under way where several share a word.
constexpr int packed_flight(Flight flight) {
  return flight == Flight::far ? 16 : 8;
}

/// Steps under way of other codes. Few, because the offsets of a slice are in the caches: more
/// warps at once measured better than more steps.
constexpr int plain_flight(Flight flight) {
  return flight == Flight::far ? 16 : 4;
}

/// Blocks at once on a multiprocessor: near, as many as it has room for.
constexpr int least_blocks(Flight flight) {
  return flight == Flight::far ? 4 : 16;
}

// Where the columns of a lane come from: load() gives the next `flight` of them in column[], -1
// where there is no entry; of `left` steps none beyond the last is read.

struct OffsetColumns {
  const OffsetStep* steps;
  LocalIndex anchor;
  int lane;

  template <int flight>
  __device__ void load(int left, LocalIndex (&column)[flight]) {
#pragma unroll
    for (int u = 0; u < flight; ++u) {
      const int2 step = cached(reinterpret_cast<const int2*>(steps) + (u < left ? u : left - 1));
      const bool there = (static_cast<unsigned>(step.y) >> lane & 1) != 0 && u < left;
      column[u] = there ? anchor + step.x : -1;
    }
    steps += flight;
  }
};

template <IndexCode code>
struct DistanceColumns {
  const std::uint32_t* words;  ///< of this lane; those of a lane lie warp_size apart
  LocalIndex column_before;

  template <int flight>
  __device__ void load(int left, LocalIndex (&column)[flight]) {
    constexpr int a_word = codes_a_word(code), bits = 32 / a_word;
    constexpr unsigned ones = (1u << bits) - 1;
    std::uint32_t word[flight / a_word];
#pragma unroll
    for (int w = 0; w < flight / a_word; ++w) {
      word[w] = w * a_word < left ? streamed(words + w * warp_size) : ~0u;
    }
#pragma unroll
    for (int u = 0; u < flight; ++u) {
      const unsigned distance = word[u / a_word] >> (u % a_word * bits) & ones;
      column_before += static_cast<LocalIndex>(distance);
      column[u] = distance != ones ? column_before : -1;
    }
    words += flight / a_word * warp_size;
  }
};

struct WholeColumns {
  const std::uint32_t* words;

  template <int flight>
  __device__ void load(int left, LocalIndex (&column)[flight]) {
#pragma unroll
    for (int u = 0; u < flight; ++u) {
      const auto read = static_cast<LocalIndex>(streamed(words + (u < left ? u : 0) * warp_size));
      column[u] = u < left ? read : -1;
    }
    words += flight * warp_size;
  }
};

// Where its values come from, in the same way; without an entry any number will do.

template <class Matrix>
struct PlainValues {
  const Matrix* values;  ///< of this lane

  template <int flight>
  __device__ void load(int left, Matrix (&value)[flight]) {
#pragma unroll
    for (int u = 0; u < flight; ++u) {
      value[u] = streamed(values + (u < left ? u : 0) * warp_size);
    }
    values += flight * warp_size;
  }
};

template <class Matrix>
struct TableValues {
  const std::uint32_t* words;
  const Matrix* table;

  template <int flight>
  __device__ void load(int left, Matrix (&value)[flight]) {
    static_assert(flight % values_a_word == 0);
#pragma unroll
    for (int w = 0; w < flight / values_a_word; ++w) {
      const std::uint32_t word = w * values_a_word < left ? streamed(words + w * warp_size) : 0;
#pragma unroll
      for (int u = 0; u < values_a_word; ++u) {
        value[w * values_a_word + u] = cached(table + (word >> (8 * u) & 0xff));
      }
    }
    words += flight / values_a_word * warp_size;
  }
};

template <class Matrix>
struct ConstantValue {
  Matrix number;

  template <int flight>
  __device__ void load(int, Matrix (&value)[flight]) {
#pragma unroll
    for (int u = 0; u < flight; ++u) value[u] = number;
  }
};

/// Adds the next `flight` of `left` steps; left >= flight is known at compile time in the loop.
template <int flight, class Columns, class Values, class Vector, class Sum, class Matrix>
__device__ void add_steps(int left, Columns& columns, Values& values, const Vector* x, Sum& sum,
                          const Matrix&) {
  LocalIndex column[flight];
  Matrix value[flight];
  Vector factor[flight];
  columns.load(left, column);
  values.load(left, value);
#pragma unroll
  for (int u = 0; u < flight; ++u) factor[u] = cached(x + max(column[u], 0));
#pragma unroll
  for (int u = 0; u < flight; ++u) {
    const Sum next = fused_multiply_add(widened<Sum>(value[u]), widened<Sum>(factor[u]), sum);
    sum = column[u] >= 0 ? next : sum;
  }
}

template <int flight, class Numbers, class Columns, class Values>
__device__ typename Numbers::Sum lane_sum(int steps, Columns columns, Values values,
                                          const typename Numbers::Vector* x) {
  typename Numbers::Sum sum = 0;
  const typename Numbers::Matrix type{};
  for (; steps >= flight; steps -= flight) add_steps<flight>(flight, columns, values, x, sum, type);
  if (steps > 0) add_steps<flight>(steps, columns, values, x, sum, type);
  return sum;
}

template <class Numbers, ValueCode code>
__device__ auto values_of(const AsellArguments<Numbers>& a, const AsellSlice& slice, int lane) {
  using Matrix = typename Numbers::Matrix;
  const std::int64_t first = std::int64_t{slice.values} * warp_size + lane;
  if constexpr (code == ValueCode::plain) {
    return PlainValues<Matrix>{static_cast<const Matrix*>(a.values) + first};
  } else if constexpr (code == ValueCode::dictionary) {
    return TableValues<Matrix>{static_cast<const std::uint32_t*>(a.values) + first, a.table};
  } else {
    return ConstantValue<Matrix>{cached(a.table)};
  }
}

template <class Numbers, ValueCode value_code, Flight flight>
__global__ void __launch_bounds__(block_threads, least_blocks(flight))
    asell_kernel(AsellArguments<Numbers> a) {
  constexpr int packed = packed_flight(flight);
  constexpr int plain = value_code == ValueCode::plain ? plain_flight(flight) : packed;
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t number = k / warp_size;
  const int lane = threadIdx.x % warp_size;
  if (number * warp_size >= a.rows.count) return;
  const AsellSlice slice = a.slices[number];
  // Lanes beyond the last row have no entries.
  const LocalIndex row = k < a.rows.count ? a.rows[static_cast<LocalIndex>(k)] : 0;
  const auto steps = static_cast<int>(slice.steps());
  const auto values = values_of<Numbers, value_code>(a, slice, lane);
  const std::uint32_t* words = a.words + std::int64_t{slice.codes} * warp_size + lane;
  typename Numbers::Sum sum;
  if (slice.code() == IndexCode::offsets) {
    const LocalIndex anchor = a.block == 1 ? row : anchor_of(row, a.block);
    const OffsetColumns columns{a.patterns + slice.codes, anchor, lane};
    sum = lane_sum<plain, Numbers>(steps, columns, values, a.x);
  } else if (slice.code() == IndexCode::bytes) {
    const DistanceColumns<IndexCode::bytes> columns{words, row + slice.base};
    sum = lane_sum<packed, Numbers>(steps, columns, values, a.x);
  } else if (slice.code() == IndexCode::words) {
    const DistanceColumns<IndexCode::words> columns{words, row + slice.base};
    sum = lane_sum<packed, Numbers>(steps, columns, values, a.x);
  } else {
    sum = lane_sum<plain, Numbers>(steps, WholeColumns{words}, values, a.x);
  }
  if (k < a.rows.count) finish_row(a.alpha, sum, a.beta, a.y[row]);
}

template <class Numbers, ValueCode values, Flight flight>
void launch(const AsellArguments<Numbers>& arguments, cudaStream_t stream) {
  const unsigned blocks = blocks_for(arguments.rows.count, block_threads);
  asell_kernel<Numbers, values, flight><<<blocks, block_threads, 0, stream>>>(arguments);
}

}  // namespace

template <class Numbers>
AsellLaunch<Numbers> asell_launch(ValueCode values, Flight flight) {
  const bool far = flight == Flight::far;
  switch (values) {
    case ValueCode::dictionary:
      return far ? launch<Numbers, ValueCode::dictionary, Flight::far>
                 : launch<Numbers, ValueCode::dictionary, Flight::near>;
    case ValueCode::constant:
      return far ? launch<Numbers, ValueCode::constant, Flight::far>
                 : launch<Numbers, ValueCode::constant, Flight::near>;
    case ValueCode::plain:
      break;
  }
  return far ? launch<Numbers, ValueCode::plain, Flight::far>
             : launch<Numbers, ValueCode::plain, Flight::near>;
}

template AsellLaunch<NumberTypes<double, double, double>> asell_launch(ValueCode, Flight);
template AsellLaunch<NumberTypes<float, float, float>> asell_launch(ValueCode, Flight);
template AsellLaunch<NumberTypes<float, double, double>> asell_launch(ValueCode, Flight);
template AsellLaunch<NumberTypes<__half, __half, float>> asell_launch(ValueCode, Flight);
template AsellLaunch<NumberTypes<__nv_bfloat16, __nv_bfloat16, float>> asell_launch(ValueCode,
                                                                                    Flight);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of sell and ell for several vectors (several.cuh): a warp per part of a slice of 32
// rows, some lanes per row:
//   for the rows i of a lane: s = +0; for each slot of the row with a column:
//     s[v] = fma(values[slot], x[indices[slot]][v], s[v])   for the two vectors v of the lane
// so that each vector has the bits of its own product.
//
// Bytes: the matrix once, as with one vector; x and y K times.
#include "kernels/gpu/several/slots.hpp"

#include "kernels/gpu/several/even.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class Numbers>
struct SlotsArguments : ProductOf<Numbers> {
  SeveralShape shape;
  ColumnSlots<Numbers> slots;
};

/// The slots of a lane's rows, step after step.
template <class Matrix, int groups>
struct SlotSource {
  const LocalIndex* indices;
  const Matrix* values;
  std::int64_t stride;
  int place[groups];

  template <int unroll>
  __device__ void load(int left, LocalIndex (&column)[unroll][groups],
                       Matrix (&value)[unroll][groups]) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        column[u][g] = -1, value[u][g] = Matrix{};
        if (u >= left) continue;
        column[u][g] = read_once(indices + (u * stride + place[g]));
        value[u][g] = read_once(values + (u * stride + place[g]));
      }
    }
    indices += unroll * stride, values += unroll * stride;
  }
};

template <class Numbers, int groups, Access access>
__global__ void __launch_bounds__(several_threads) slots_kernel(SlotsArguments<Numbers> a) {
  using Matrix = typename Numbers::Matrix;
  const SlicePart<groups> part(a.shape, thread_index() / warp_size);
  const RowListView rows = a.slots.rows;
  const std::int64_t first = part.slice * warp_size;
  if (first >= rows.count) return;
  const auto count = static_cast<int>(min(rows.count - first, std::int64_t{warp_size}));
  const bool sliced = a.slots.begins != nullptr;
  const Offset begin = sliced ? a.slots.begins[part.slice] : first;
  const Offset steps = sliced ? (a.slots.begins[part.slice + 1] - begin) / count : a.slots.width;
  SlotSource<Matrix, groups> source{a.slots.indices + begin, a.slots.values + begin,
                                    sliced ? count : rows.count};
#pragma unroll
  for (int g = 0; g < groups; ++g) source.place[g] = min(part.place(g), count - 1);
  const LaneVectors<typename Numbers::Vector, access> lane(a.shape);
  typename Numbers::Sum sum[groups][lane_vectors] = {};
  sum_steps<several_unroll(groups), groups, Matrix>(static_cast<int>(steps), source, a.x, lane,
                                                    sum);
#pragma unroll
  for (int g = 0; g < groups; ++g) {
    const int place = part.place(g);
    if (place < count) {
      lane.finish(a.alpha, sum[g], a.beta, a.y, rows[static_cast<LocalIndex>(first + place)]);
    }
  }
}

/// Where the slots of a slice are.
template <class Matrix>
struct SliceSlots {
  const LocalIndex* indices;
  const Matrix* values;
  std::int64_t stride;  ///< from step to step
  int steps, count;     ///< rows
};

template <class Numbers>
__device__ SliceSlots<typename Numbers::Matrix> slots_of(const ColumnSlots<Numbers>& slots,
                                                         std::int64_t slice) {
  const std::int64_t first = slice * warp_size;
  const auto count = static_cast<int>(min(slots.rows.count - first, std::int64_t{warp_size}));
  const bool sliced = slots.begins != nullptr;
  const Offset begin = sliced ? slots.begins[slice] : first;
  const Offset steps = sliced ? (slots.begins[slice + 1] - begin) / count : slots.width;
  return {slots.indices + begin, slots.values + begin, sliced ? count : slots.rows.count,
          static_cast<int>(steps), count};
}

/// `at(g)`: place of the lane's row of a group from that of group 0.
template <class Numbers, int lanes, class At>
__device__ void sum_even(EvenLane<Numbers, lanes>& lane, const typename Numbers::Vector* x,
                         const SliceSlots<typename Numbers::Matrix>& slots, int place,
                         const At& at) {
  using Lane = EvenLane<Numbers, lanes>;
  constexpr int groups = Lane::groups, unroll = Lane::unroll;
  const LocalIndex* indices = slots.indices + place;
  const auto* values = slots.values + place;
  in_batches<unroll>(slots.steps, [&](auto whole, int left) {
    LocalIndex column[unroll][groups];
    typename Numbers::Matrix value[unroll][groups];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const std::int64_t step = (whole ? u : min(u, left - 1)) * slots.stride;
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        column[u][g] = read_once(indices + step + at(g));
        value[u][g] = read_once(values + step + at(g));
      }
    }
    const typename Lane::Pair* from[unroll][groups];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
#pragma unroll
      for (int g = 0; g < groups; ++g) from[u][g] = lane.of_row(x, max(column[u][g], 0));
    }
    lane.add([&](int u, int g) { return (whole || u < left) && column[u][g] >= 0; }, value, from);
    indices += unroll * slots.stride, values += unroll * slots.stride;
  });
}

template <class Numbers, int lanes>
__global__ void __launch_bounds__(several_threads, even_blocks(lanes))
    even_slots_kernel(SlotsArguments<Numbers> a) {
  using Lane = EvenLane<Numbers, lanes>;
  const RowListView rows = a.slots.rows;
  Lane lane(thread_index() / warp_size, a.shape.vectors);
  const std::int64_t first = lane.slice * warp_size;
  if (first >= rows.count) return;
  const auto slots = slots_of(a.slots, lane.slice);
  if (slots.count == warp_size) {
    sum_even(lane, a.x, slots, lane.place(), [](int g) { return g * Lane::rows; });
  } else {  // beyond the last row: the last one's, which is summed in vain
    const int last = slots.count - 1, place = min(lane.place(), last);
    sum_even(lane, a.x, slots, place,
             [&](int g) { return min(lane.place() + g * Lane::rows, last) - place; });
  }
#pragma unroll
  for (int g = 0; g < Lane::groups; ++g) {
    const int place = lane.place() + g * Lane::rows;
    if (place < slots.count) lane.finish(g, a, rows[static_cast<LocalIndex>(first + place)]);
  }
}

}  // namespace

template <class Numbers>
void launch_slots(const ColumnSlots<Numbers>& slots, const LocalProduct& product,
                  cudaStream_t stream) {
  const SlotsArguments<Numbers> arguments{product, SeveralShape(product), slots};
  if (arguments.shape.pairs) {
    return with_even_lanes(
        arguments.shape, slots.rows.count, [&](auto lanes, std::int64_t threads) {
          even_slots_kernel<Numbers, lanes>
              <<<blocks_for(threads, several_threads), several_threads, 0, stream>>>(arguments);
        });
  }
  with_groups_and_access(arguments.shape, [&](auto groups, auto access) {
    const std::int64_t threads = threads_of_parts<groups>(arguments.shape, slots.rows.count);
    slots_kernel<Numbers, groups, access>
        <<<blocks_for(threads, several_threads), several_threads, 0, stream>>>(arguments);
  });
}

#define ROWHALO_SLOTS(...)                                                                      \
  template void launch_slots<__VA_ARGS__>(const ColumnSlots<__VA_ARGS__>&, const LocalProduct&, \
                                          cudaStream_t);
ROWHALO_SLOTS(NumberTypes<double, double, double>)
ROWHALO_SLOTS(NumberTypes<float, float, float>)
ROWHALO_SLOTS(NumberTypes<float, double, double>)
#undef ROWHALO_SLOTS

}  // namespace rowhalo

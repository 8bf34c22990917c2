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

#include "kernels/gpu/several/several.cuh"
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

}  // namespace

template <class Numbers>
void launch_slots(const ColumnSlots<Numbers>& slots, const LocalProduct& product,
                  cudaStream_t stream) {
  const SlotsArguments<Numbers> arguments{product, SeveralShape(product), slots};
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

// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of bsr for several vectors (several/several.cuh): the lanes that K vectors take share
// a block row, of which each sums all b rows. So the b rows of X that a block meets are loaded once
// for all its rows, into registers (the layout: bsr.cu):
//   for block row p: s[r] = +0; for each block of p:
//     f[c] = x[column + c] for c in [0, b)
//     for r, c in [0, b): if value(c, p, r) is no hole: s[r][v] = fma(value(c, p, r), f[c][v],
//     s[r][v])
// with v the two vectors of the lane: each has the bits of its own product.
//
// Bytes: the matrix once, as with one vector; x and y K times.
#include "kernels/gpu/bsr/bsr_blocks.cuh"
#include "kernels/gpu/several/several.cuh"
#include "kernels/gpu/warp/holes.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class Numbers>
struct BsrSeveral {
  BsrArguments<Numbers> one;
  SeveralShape shape;
};

/// Adds one block whose values begin at `values` to the sums of the b rows of block row `place` of
/// its slice.
template <int b, class Matrix, class Vector, class Sum>
__device__ void add_block(const Matrix* values, int place, LocalIndex column,
                          LocalIndex last_column, const Vector* x,
                          const LaneVectors<Vector, Access::either>& lane,
                          Sum (&sum)[b][lane_vectors]) {
  Matrix value[b][b];
  typename LaneVectors<Vector, Access::either>::Pair factor[b];
#pragma unroll
  for (int r = 0; r < b; ++r) load_row<b>(values, place * b + r, value[r]);
#pragma unroll
  for (int c = 0; c < b; ++c) factor[c] = lane.load(x, min(column + c, last_column));
#pragma unroll
  for (int r = 0; r < b; ++r) {
#pragma unroll
    for (int c = 0; c < b; ++c) {
      const Sum number = widened<Sum>(value[r][c]);
      const Sum first = fused_multiply_add(number, widened<Sum>(factor[c].x), sum[r][0]);
      const Sum second = fused_multiply_add(number, widened<Sum>(factor[c].y), sum[r][1]);
      sum[r][0] = is_hole(value[r][c]) ? sum[r][0] : first;
      sum[r][1] = is_hole(value[r][c]) ? sum[r][1] : second;
    }
  }
}

template <class Numbers, int b>
__global__ void __launch_bounds__(several_threads) bsr_several_kernel(BsrSeveral<Numbers> a) {
  const std::int64_t number = thread_index() >> a.shape.lanes_log2;
  if (number >= a.one.block_rows) return;
  const std::int64_t slice = number / slice_size;
  const int place = static_cast<int>(number % slice_size);
  const Offset begin = a.one.begins[slice];
  const auto steps = static_cast<int>((a.one.begins[slice + 1] - begin) / slice_size);
  const std::int64_t block_row = a.one.order == nullptr ? number : a.one.order[number];
  const LocalIndex base = a.one.bases == nullptr ? 0 : a.one.bases[slice];
  const typename Numbers::Matrix* values = a.one.values + begin * (b * b);
  const LaneVectors<typename Numbers::Vector, Access::either> lane(a.shape);
  typename Numbers::Sum sum[b][lane_vectors] = {};
  constexpr int unroll = b <= 3 ? 2 : 1;
#pragma unroll unroll
  for (int step = 0; step < steps; ++step) {
    const Offset at = begin + std::int64_t{step} * slice_size + place;
    const LocalIndex column =
        a.one.bases == nullptr
            ? static_cast<LocalIndex>(
                  streamed(static_cast<const std::uint32_t*>(a.one.columns) + at))
            : base + streamed(static_cast<const std::uint16_t*>(a.one.columns) + at);
    add_block<b>(values, place, column, a.one.last_column, a.one.x, lane, sum);
    values += slice_size * b * b;
  }
#pragma unroll
  for (int r = 0; r < b; ++r) {
    const std::int64_t k = block_row * b + r;
    if (k >= a.one.rows.count) continue;
    lane.finish(a.one.alpha, sum[r], a.one.beta, a.one.y, a.one.rows[static_cast<LocalIndex>(k)]);
  }
}

}  // namespace

template <class Numbers>
void launch_bsr_several(const BsrArguments<Numbers>& arguments, int b, const LocalProduct& product,
                        cudaStream_t stream) {
  const SeveralShape shape(product);
  const std::int64_t threads = arguments.slices * slice_size * shape.lanes();
  with_block_size(b, [&](auto size) {
    bsr_several_kernel<Numbers, size>
        <<<blocks_for(threads, several_threads), several_threads, 0, stream>>>({arguments, shape});
  });
}

#define ROWHALO_BSR_SEVERAL(...)                                                      \
  template void launch_bsr_several(const BsrArguments<__VA_ARGS__>& arguments, int b, \
                                   const LocalProduct& product, cudaStream_t stream);
ROWHALO_BSR_SEVERAL(NumberTypes<double, double, double>)
ROWHALO_BSR_SEVERAL(NumberTypes<float, float, float>)
ROWHALO_BSR_SEVERAL(NumberTypes<float, double, double>)
#undef ROWHALO_BSR_SEVERAL

}  // namespace rowhalo

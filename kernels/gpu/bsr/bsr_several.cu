// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of bsr for several vectors (several/several.cuh): the lanes that K vectors take share
// a block row, of which each sums all b rows. So the b rows of X that a block meets are loaded once
// for all its rows, into registers (the layout: bsr.cu):
//   for block row p: s[r] = +0; for each block of p:
//     f[c] = x[column + c] for c in [0, b)
//     for c, r in [0, b):
//       if value(c, p, r) is no hole: s[r][v] = fma(value(c, p, r), f[c][v], s[r][v])
// with v the two vectors of the lane: each has the bits of its own product. A hole skips by a
// predicate. While a block is added, the next one is being loaded (LaneBlock).
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

/// A block of a lane's block row. Its column is loaded a step ahead; so are its values (`ahead`)
/// where two blocks fit into the registers that leave 24 warps on a multiprocessor. Of larger
/// blocks a row is loaded at a time.
template <class Numbers, int b>
struct LaneBlock {
  static constexpr bool ahead = (b * b) * sizeof(typename Numbers::Sum) <= 72;
  LocalIndex column;
  typename Numbers::Matrix value[ahead ? b : 1][b];
};

/// The block row of a lane: where its next block is, and the sums of its b rows.
template <class Numbers, int b, Access access>
struct LaneBlockRow {
  using Matrix = typename Numbers::Matrix;
  using Vector = typename Numbers::Vector;
  using Sum = typename Numbers::Sum;
  using Block = LaneBlock<Numbers, b>;
  using Lane = LaneVectors<Vector, access>;
  static constexpr bool ahead = Block::ahead;

  const BsrArguments<Numbers>& a;
  const Lane& lane;
  std::int64_t place;  ///< of the block row within its slice
  LocalIndex base;
  Offset at;             ///< of the next column
  const Matrix* values;  ///< of the next step
  Sum sum[b][lane_vectors] = {};

  __device__ void load(Block& block) {
    block.column =
        a.bases == nullptr
            ? static_cast<LocalIndex>(streamed(static_cast<const std::uint32_t*>(a.columns) + at))
            : base + streamed(static_cast<const std::uint16_t*>(a.columns) + at);
    at += slice_size;
    if constexpr (ahead) {
#pragma unroll
      for (int r = 0; r < b; ++r) load_row<b>(values, place * b + r, block.value[r]);
      values += slice_size * b * b;
    }
  }

  __device__ void add_row(int r, const Matrix (&value)[b], const typename Lane::Pair (&factor)[b]) {
#pragma unroll
    for (int c = 0; c < b; ++c) {
      if (is_hole(value[c])) continue;
      const Sum number = widened<Sum>(value[c]);
      sum[r][0] = fused_multiply_add(number, widened<Sum>(factor[c].x), sum[r][0]);
      sum[r][1] = fused_multiply_add(number, widened<Sum>(factor[c].y), sum[r][1]);
    }
  }

  /// Adds `block`; loads the one behind it into `next`, if there is one.
  __device__ void add(Block& block, Block& next, bool more) {
    typename Lane::Pair factor[b];
#pragma unroll
    for (int c = 0; c < b; ++c) {
      factor[c] = lane.load(a.x, min(block.column + c, a.last_column));
    }
    if (more) load(next);
#pragma unroll
    for (int r = 0; r < b; ++r) {
      if constexpr (!ahead) load_row<b>(values, place * b + r, block.value[0]);
      add_row(r, block.value[ahead ? r : 0], factor);
    }
    if constexpr (!ahead) values += slice_size * b * b;
  }
};

/// Thread blocks per multiprocessor that the registers leave room for.
template <class Numbers, int b>
constexpr int bsr_several_blocks = LaneBlock<Numbers, b>::ahead ? 3 : (b <= 5 ? 2 : 1);

template <class Numbers, int b, Access access>
__global__ void __launch_bounds__(several_threads, (bsr_several_blocks<Numbers, b>))
    bsr_several_kernel(BsrSeveral<Numbers> a) {
  const std::int64_t number = thread_index() >> a.shape.lanes_log2;
  if (number >= a.one.block_rows) return;
  const std::int64_t slice = number / slice_size;
  const Offset begin = a.one.begins[slice];
  const auto steps = static_cast<int>((a.one.begins[slice + 1] - begin) / slice_size);
  const LaneVectors<typename Numbers::Vector, access> lane(a.shape);
  const std::int64_t place = number % slice_size;
  LaneBlockRow<Numbers, b, access> row{
      a.one,         lane,
      place,         a.one.bases == nullptr ? 0 : a.one.bases[slice],
      begin + place, a.one.values + begin * (b * b)};
  LaneBlock<Numbers, b> even, odd;
  if (steps > 0) row.load(even);
#pragma unroll 1
  for (int left = steps; left > 0; left -= 2) {
    row.add(even, odd, left > 1);
    if (left > 1) row.add(odd, even, left > 2);
  }
  const std::int64_t block_row = a.one.order == nullptr ? number : a.one.order[number];
#pragma unroll
  for (int r = 0; r < b; ++r) {
    const std::int64_t k = block_row * b + r;
    if (k >= a.one.rows.count) continue;
    lane.finish(a.one.alpha, row.sum[r], a.one.beta, a.one.y,
                a.one.rows[static_cast<LocalIndex>(k)]);
  }
}

}  // namespace

template <class Numbers>
void launch_bsr_several(const BsrArguments<Numbers>& arguments, int b, const LocalProduct& product,
                        cudaStream_t stream) {
  const SeveralShape shape(product);
  const std::int64_t threads = arguments.slices * slice_size * shape.lanes();
  const unsigned blocks = blocks_for(threads, several_threads);
  with_block_size(b, [&](auto size) {
    if (shape.pairs) {
      bsr_several_kernel<Numbers, size, Access::pairs>
          <<<blocks, several_threads, 0, stream>>>({arguments, shape});
    } else {
      bsr_several_kernel<Numbers, size, Access::singles>
          <<<blocks, several_threads, 0, stream>>>({arguments, shape});
    }
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

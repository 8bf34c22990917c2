// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of asell where a step has one value for all its rows (ValueCode::by_step). As in
// asell.cu, but:
//   for the slices of a warp, together where their steps are the same, else one by one:
//     for step in [0, steps): column = anchor + offset, if the step has the row
//       s = fma(value of the step, x[column], s)
// Besides x and y it reads 16 bytes per 32 rows. What bounds it are loads of x from L1, which is at
// 90 to 94 % of its throughput on an H200 (5, 7 and 27 points). Where each row has each step, as
// the slice says (AsellSlice::base), masks are not looked at.
#include <bit>

#include "kernels/gpu/asell/asell.hpp"
#include "kernels/gpu/asell/asell_tuning.hpp"
#include "kernels/gpu/device/early_start.cuh"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {
namespace {

/// ValuedStep in registers; before it is loaded, a step that no row has.
template <class Matrix>
struct LoadedStep {
  LocalIndex offset = 0;
  unsigned mask = 0;
  Matrix number{};

  __device__ void load(const ValuedStep* place) {
    const int4 words = cached(reinterpret_cast<const int4*>(place));
    offset = words.x;
    mask = static_cast<unsigned>(words.y);
    const std::uint64_t low = static_cast<unsigned>(words.z), high = static_cast<unsigned>(words.w);
    number = std::bit_cast<Matrix>(static_cast<BitsOf<Matrix>>(high << 32 | low));
  }
};

/// Some rows of a lane with the same steps.
template <class Numbers, int rows>
struct RowSums {
  using Matrix = typename Numbers::Matrix;
  using Vector = typename Numbers::Vector;
  using Sum = typename Numbers::Sum;

  const Vector* x;
  unsigned lane_bit;
  LocalIndex anchor[rows];
  Sum sum[rows] = {};

  /// Adds the next `unroll` steps, or `left` where these are fewer. whole: each row has each step,
  /// and `left` is at least `unroll`.
  template <int unroll, bool whole>
  __device__ void add_batch(const ValuedStep* steps, int left) {
    LoadedStep<Matrix> step[unroll];
    Vector factor[unroll][rows];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (whole || u < left) step[u].load(steps + u);
    }
    const auto has = [&](int u) { return whole || (step[u].mask & lane_bit) != 0; };
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        factor[u][r] = cached(x + (has(u) ? anchor[r] + step[u].offset : 0));
      }
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Sum number = widened<Sum>(step[u].number);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const Sum next = fused_multiply_add(number, widened<Sum>(factor[u][r]), sum[r]);
        sum[r] = has(u) ? next : sum[r];
      }
    }
  }

  /// Adds all `left` of them; whole: each row has each.
  template <int unroll, bool whole>
  __device__ void add(const ValuedStep* steps, int left) {
#pragma unroll 1
    for (; left >= unroll; left -= unroll, steps += unroll) {
      add_batch<unroll, whole>(steps, unroll);
    }
    if (left > 0) add_batch<unroll - 1, false>(steps, left);
  }
};

template <class Numbers, Unroll unroll>
__global__ void __launch_bounds__(asell_threads, step_shape_of(unroll).blocks)
    asell_by_step_kernel(AsellArguments<Numbers> a) {
  constexpr StepShape shape = step_shape_of(unroll);
  constexpr bool sums = sums_dot<Numbers>(ValueCode::by_step);
  // The step of a solver that adds the dots is launched while the last rows are multiplied.
  if constexpr (sums) let_next_start();
  const unsigned warp = blockIdx.x * (asell_threads / warp_size) + threadIdx.x / warp_size;
  const unsigned lane = threadIdx.x % warp_size, first = warp * shape.slices;
  const auto count = static_cast<unsigned>(a.rows.count);
  if (first * warp_size >= count) return;
  constexpr unsigned slices_per_line = 128 / sizeof(AsellSlice);
  if (lane == 0 && first % slices_per_line == 0 && (first + described_ahead) * warp_size < count) {
    prefetch(a.slices + first + described_ahead);
  }

  AsellSlice slice[shape.slices];
  LocalIndex row[shape.slices];
  RowSums<Numbers, shape.slices> all{a.x, 1u << lane};
  bool same = true;
#pragma unroll
  for (int r = 0; r < shape.slices; ++r) {
    const unsigned number = first + r, k = number * warp_size + lane;
    // Behind the last slice: one without steps. Lanes beyond the last row have no entries.
    slice[r] = number * warp_size < count ? a.slices[number] : AsellSlice{};
    row[r] = k < count ? a.rows[static_cast<LocalIndex>(k)] : -1;
    all.anchor[r] = a.block == 1 ? row[r] : anchor_of(row[r], a.block);
    same = same && slice[r].codes == slice[0].codes && slice[r].steps() == slice[0].steps();
  }
  const auto steps_of = [&](const AsellSlice& its) {
    return static_cast<const ValuedStep*>(a.values) + its.codes;
  };
  if (same && slice[0].base != 0) {
    all.template add<shape.steps, true>(steps_of(slice[0]), static_cast<int>(slice[0].steps()));
  } else if (same) {
    all.template add<shape.steps, false>(steps_of(slice[0]), static_cast<int>(slice[0].steps()));
  } else {
#pragma unroll
    for (int r = 0; r < shape.slices; ++r) {
      RowSums<Numbers, 1> one{a.x, 1u << lane, {all.anchor[r]}};
      one.template add<shape.steps, false>(steps_of(slice[r]), static_cast<int>(slice[r].steps()));
      all.sum[r] = one.sum[0];
    }
  }
#pragma unroll
  for (int r = 0; r < shape.slices; ++r) {
    if (row[r] >= 0) finish_row(a.alpha, all.sum[r], a.beta, a.y[row[r]]);
    if constexpr (sums) {
      if (a.dots == nullptr || (first + r) * warp_size >= count) continue;
      const double dot = sum_of_lanes(row[r] >= 0 ? cached(a.x + row[r]) * a.y[row[r]] : 0);
      if (lane == 0) a.dots[first + r] = dot;
    }
  }
}

template <class Numbers, Unroll unroll>
void launch_by_step(const AsellArguments<Numbers>& arguments, cudaStream_t stream) {
  constexpr int slices = step_shape_of(unroll).slices;
  const unsigned blocks =
      blocks_for((std::int64_t{arguments.rows.count} + slices - 1) / slices, asell_threads);
  asell_by_step_kernel<Numbers, unroll><<<blocks, asell_threads, 0, stream>>>(arguments);
}

}  // namespace

template <class Numbers>
AsellLaunch<Numbers> asell_by_step_launch(Unroll unroll) {
  return unroll == Unroll::low      ? launch_by_step<Numbers, Unroll::low>
         : unroll == Unroll::medium ? launch_by_step<Numbers, Unroll::medium>
                                    : launch_by_step<Numbers, Unroll::high>;
}

template AsellLaunch<NumberTypes<double, double, double>> asell_by_step_launch(Unroll);
template AsellLaunch<NumberTypes<float, float, float>> asell_by_step_launch(Unroll);
template AsellLaunch<NumberTypes<float, double, double>> asell_by_step_launch(Unroll);
template AsellLaunch<NumberTypes<__half, __half, float>> asell_by_step_launch(Unroll);
template AsellLaunch<NumberTypes<__nv_bfloat16, __nv_bfloat16, float>> asell_by_step_launch(Unroll);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// dense-split: a group of threads= threads computes rows= rows at once, rows one after the other in
// memory:
//   for thread l of the group: s_0 .. s_(rows-1) = +0
//     for v = l, step threads, over the 16-byte pieces of a row:
//       load the piece of x once, then for each row r: s_r = fma of its piece, entry by entry
//   s_r = tree sum over the group; thread 0 writes y
// Every load of the matrix is 16 bytes per thread and one stretch per group; x is read once for
// `rows` rows. The order of summation depends on the options alone: the same bits every time.
#include "kernels/choice.hpp"
#include "kernels/gpu/dense/dense_kernel.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

constexpr int least_block = 128;

/// The piece at `place`, which the product reads once.
template <class Number, int count>
__device__ Pack<Number, count> streamed_piece(const Number* place) {
  static_assert(sizeof(Number) * count == sizeof(int4));
  union {
    int4 words;
    Pack<Number, count> piece;
  } loaded{__ldcs(reinterpret_cast<const int4*>(place))};
  return loaded.piece;
}

template <class Numbers, int threads, int rows>
__global__ void dense_split_kernel(DenseArguments<Numbers> a) {
  using Matrix = typename Numbers::Matrix;
  using Vector = typename Numbers::Vector;
  using Sum = typename Numbers::Sum;
  constexpr int numbers = 16 / static_cast<int>(sizeof(Matrix));
  constexpr int warps = threads / warp_size;
  const int thread = threadIdx.x % threads;
  const std::int64_t group = thread_index() / threads;
  const Matrix* row[rows];
  Sum sum[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    row[r] = a.values + min(group * rows + r, std::int64_t{a.rows.count} - 1) * a.leading;
    sum[r] = 0;
  }
  const LocalIndex pieces = a.columns / numbers;
#pragma unroll 2
  for (LocalIndex p = thread; p < pieces; p += threads) {
    const auto x = reinterpret_cast<const Pack<Vector, numbers>*>(a.x)[p];
    Pack<Matrix, numbers> piece[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      piece[r] = streamed_piece<Matrix, numbers>(row[r] + std::int64_t{p} * numbers);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int u = 0; u < numbers; ++u) {
        sum[r] = fused_multiply_add(widened<Sum>(piece[r].at[u]), widened<Sum>(x.at[u]), sum[r]);
      }
    }
  }
  const LocalIndex last = pieces * numbers + thread;
  if (last < a.columns) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      sum[r] = fused_multiply_add(widened<Sum>(row[r][last]), widened<Sum>(a.x[last]), sum[r]);
    }
  }

  __shared__ Sum of_warps[rows][warps];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    sum[r] = sum_of_lanes(sum[r]);
    if (warps > 1 && thread % warp_size == 0) of_warps[r][thread / warp_size] = sum[r];
  }
  if (warps > 1) __syncthreads();
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const std::int64_t k = group * rows + r;
    if (thread != 0 || k >= a.rows.count) continue;
    for (int w = 1; w < warps; ++w) sum[r] += of_warps[r][w];
    finish_row(a.alpha, sum[r], a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
  }
}

template <class Numbers>
class DenseSplit final : public DenseGpuKernel<Numbers> {
 public:
  // With more threads than pieces of a row some would idle.
  DenseSplit(const CsrView& matrix, RowListView rows, const Spec& options)
      : DenseSplit(matrix, rows, options,
                   one_of(options, "threads", {32, 128, 256}, matrix.columns >= 2048 ? 256 : 32)) {}

 private:
  DenseSplit(const CsrView& matrix, RowListView rows, const Spec& options, int threads)
      : DenseGpuKernel<Numbers>(matrix, rows, options, DenseBlock::Layout::rows,
                                std::max(threads, least_block)),
        threads_(threads),
        rows_at_once_(one_of(options, "rows", {1, 2, 4}, 4)) {}

  void launch(const DenseArguments<Numbers>& a, cudaStream_t stream) const override {
    const std::int64_t groups = (std::int64_t{a.rows.count} + rows_at_once_ - 1) / rows_at_once_;
    const unsigned blocks = blocks_for(groups * threads_, this->block_);
    with_choice<32, 128, 256>(threads_, [&](auto threads) {
      with_choice<1, 2, 4>(rows_at_once_, [&](auto rows) {
        dense_split_kernel<Numbers, decltype(threads)::value, decltype(rows)::value>
            <<<blocks, this->block_, 0, stream>>>(a);
      });
    });
  }

  int threads_, rows_at_once_;
};

}  // namespace

const FormatParts dense_split_format{
    make_with_numbers<DenseSplit>, {"threads", "rows"}, [](const LocalStatistics& s) {
      return Prediction{cost::dense_bytes(s)};
    }};

}  // namespace rowhalo

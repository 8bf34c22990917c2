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

/// Numbers of 16 bytes, loaded at once.
template <class Number, int count>
struct alignas(sizeof(Number) * count < 16 ? sizeof(Number) * count : 16) Piece {
  Number numbers[count];
};

/// The piece at `place`, which the product reads once.
template <class Number, int count>
__device__ Piece<Number, count> streamed_piece(const Number* place) {
  static_assert(sizeof(Number) * count == sizeof(int4));
  union {
    int4 words;
    Piece<Number, count> piece;
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
    const auto x = reinterpret_cast<const Piece<Vector, numbers>*>(a.x)[p];
    Piece<Matrix, numbers> piece[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      piece[r] = streamed_piece<Matrix, numbers>(row[r] + std::int64_t{p} * numbers);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int u = 0; u < numbers; ++u) {
        sum[r] = fused_multiply_add(widened<Sum>(piece[r].numbers[u]), widened<Sum>(x.numbers[u]),
                                    sum[r]);
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

template <class Numbers, int threads, int rows>
void launch_split(const DenseArguments<Numbers>& arguments, int block, cudaStream_t stream) {
  const std::int64_t groups = (std::int64_t{arguments.rows.count} + rows - 1) / rows;
  dense_split_kernel<Numbers, threads, rows>
      <<<blocks_for(groups * threads, block), block, 0, stream>>>(arguments);
}

/// The value of an option that must be one of three.
int one_of(const Spec& options, const char* key, int fallback, int a, int b, int c) {
  const auto value = static_cast<int>(options.integer(key, fallback));
  if (value != a && value != b && value != c) {
    options.fail(std::string(key) + " must be " + std::to_string(a) + ", " + std::to_string(b) +
                 " or " + std::to_string(c));
  }
  return value;
}

}  // namespace

std::unique_ptr<SpmvKernel> make_dense_split(const CsrView& matrix, RowListView rows,
                                             const Spec& options) {
  check_format_options(options, {"threads", "rows"});
  // More threads than pieces of a row would idle.
  const int fitting = matrix.columns >= 2048 ? 256 : 32;
  const int threads = one_of(options, "threads", fitting, 32, 128, 256);
  const int rows_per_group = one_of(options, "rows", 4, 1, 2, 4);
  return with_numbers(matrix.precision, [&]<class Numbers>() -> std::unique_ptr<SpmvKernel> {
    const auto launch = with_choice<32, 128, 256>(threads, [&](auto t) {
      return with_choice<1, 2, 4>(rows_per_group, [](auto r) -> DenseLaunch<Numbers> {
        return launch_split<Numbers, decltype(t)::value, r>;
      });
    });
    return std::make_unique<DenseGpuKernel<Numbers>>(
        matrix, rows, options, DenseBlock::Layout::rows, launch, std::max(threads, least_block));
  });
}

Prediction predict_dense_split(const LocalStatistics& s) {
  return {cost::dense_bytes(s)};
}

}  // namespace rowhalo

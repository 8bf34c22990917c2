// SPDX-License-Identifier: BSD-3-Clause
//
// csr-scalar and csr-vector: W threads per row, straight from the arrays of the CsrView.
// csr-scalar: W = 1, csr-vector: W = 2, 4, 8, 16 or 32 (Bell, Garland: Efficient sparse
// matrix-vector multiplication on CUDA, NVIDIA NVR-2008-004, 2008; several rows per warp as in
// Reguly, Giles: Efficient sparse matrix-vector multiplication on cache-based GPUs, InPar 2012), or
// a thread block of W = 64, 128, 256 or 512, for a few long rows, as linear programs have them.
//   for group k of W threads: i = rows[k]
//     thread l: s_l = +0; for e = offsets[i] + l, step W, below offsets[i + 1]:
//                           s_l = fma(values[e], x[indices[e]], s_l)
//     s = tree sum of s_0 .. s_(W-1); thread 0 writes y_i
// The order of summation depends on W alone: the same bits every time; with W = 1 a row is summed
// in stored order by one accumulator, which gives the bits of csr. Without threads= W follows from
// the mean and the longest row (fitting_width). Neighbouring threads read neighbouring entries of a
// row, or, with W = 1, addresses a row apart, so that a cache line is used over several steps and
// has to stay in L1; and rows seldom begin at a sector: the matrix is read through the caches, not
// streamed. Several vectors at once (csr-vector): several/csr_rows.cu.
//
// Bytes of the matrix (csr-scalar, csr-vector): n (v + 4) + 8 (m + 1) + rows.
#include "kernels/choice.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/several/csr_rows.hpp"
#include "kernels/gpu/warp/lane_sum.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class Numbers>
struct CsrGpuArguments : ProductOf<Numbers> {
  const Offset* offsets;
  const LocalIndex* indices;
  const typename Numbers::Matrix* values;
  RowListView rows;
};

constexpr int largest_width = 512;

/// What thread `thread` of the `width` that share `row` sums.
template <int width, class Numbers>
__device__ typename Numbers::Sum row_sum_of(const CsrGpuArguments<Numbers>& a, LocalIndex row,
                                            int thread) {
  constexpr int unroll = 4;
  return row_sum<typename Numbers::Sum, width, unroll>(
      a.indices, a.values, a.offsets[row] + thread, a.offsets[row + 1],
      [&](LocalIndex column) { return cached(a.x + column); });
}

template <class Numbers, int width>
__global__ void csr_threads_kernel(CsrGpuArguments<Numbers> a) {
  const std::int64_t k = thread_index() / width;
  const int lane = threadIdx.x % width;
  // Threads beyond the last row stay for the shuffles.
  const bool has_row = k < a.rows.count;
  if (width == 1 && !has_row) return;
  const LocalIndex row = has_row ? a.rows[static_cast<LocalIndex>(k)] : 0;
  using Sum = typename Numbers::Sum;
  Sum sum = 0;
  if (has_row) sum = row_sum_of<width>(a, row, lane);
  sum = sum_of_lanes<width>(sum);
  if (has_row && lane == 0) finish_row(a.alpha, sum, a.beta, a.y[row]);
}

/// One thread block per row, of `width` threads: sums of warps, added up by the first of them.
template <class Numbers, int width>
__global__ void csr_blocks_kernel(CsrGpuArguments<Numbers> a) {
  using Sum = typename Numbers::Sum;
  constexpr int warps = width / warp_size;
  __shared__ Sum sums[warps];
  const LocalIndex row = a.rows[static_cast<LocalIndex>(blockIdx.x)];
  const int thread = threadIdx.x, lane = thread % warp_size;
  const Sum of_warp = sum_of_lanes(row_sum_of<width>(a, row, thread));
  if (lane == 0) sums[thread / warp_size] = of_warp;
  __syncthreads();
  if (thread >= warp_size) return;
  const Sum sum = sum_of_lanes(lane < warps ? sums[lane] : Sum{0});
  if (lane == 0) finish_row(a.alpha, sum, a.beta, a.y[row]);
}

/// The most threads that share a row: beyond a warp only as many as have an entry each by the mean.
int most_threads_per_row(double nonzeros, double rows) {
  int width = warp_size;
  while (width < largest_width && nonzeros >= 2 * width * rows) width *= 2;
  return width;
}

/// Without threads=. Measured on an H200 on 14 matrices (jobs/results): time grows with the rounds
/// of row_sum, four entries per thread each, and with the warps; a fifth more entries than one
/// round holds are still worth it. The longest row takes half a microsecond a round, whatever the
/// others do: it must not outlast them. A row takes more than a warp only as long as the threads of
/// all rows do not fill the GPU (an H200's 132 multiprocessors), or the longest row would; `limit`
/// is the most in any case.
int fitting_width(const CsrView& matrix, RowListView rows, int limit) {
  constexpr double entries_per_thread = 5, seconds_per_round = 0.5e-6, bytes_per_second = 3e12;
  constexpr double threads_that_fill = 132 * 2048;
  const RowLengths lengths = row_lengths_on_device(matrix, rows);
  const auto nonzeros = static_cast<double>(lengths.nonzeros);
  const double bytes_per_nonzero =
      static_cast<double>(matrix_value_bytes(matrix.precision) + sizeof(LocalIndex));
  const double seconds_of_all = nonzeros * bytes_per_nonzero / bytes_per_second;
  const auto outlasts = [&](int width) {
    const Offset rounds = (lengths.longest + 4 * width - 1) / (4 * width);
    return rounds > 1 && static_cast<double>(rounds) * seconds_per_round > seconds_of_all;
  };
  const int most = std::min(limit, most_threads_per_row(nonzeros, rows.count));
  const auto filled = [&](int width) {
    return width >= warp_size && 2.0 * width * rows.count > threads_that_fill;
  };
  int width = 2;
  while (width < most && nonzeros > entries_per_thread * width * rows.count && !filled(width)) {
    width *= 2;
  }
  while (width < most && outlasts(width)) width *= 2;
  return width;
}

int chosen_width(const CsrView& matrix, RowListView rows, const Spec& options) {
  const int limit = options.has("block") ? warp_size : largest_width;
  const int fitting = options.has("threads") ? 0 : fitting_width(matrix, rows, limit);
  return one_of(options, "threads", {2, 4, 8, 16, 32, 64, 128, 256, 512}, fitting);
}

/// With one of so many threads per row.
template <class Numbers, int... widths>
class CsrThreadsKernel final : public DeviceFormat {
 public:
  CsrThreadsKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows),
        block_(block_option(options, product_threads)),
        width_(sizeof...(widths) == 1 ? 1 : chosen_width(matrix, rows, options)) {
    if (width_ > warp_size && options.has("block")) {
      options.fail("more than 32 threads per row are a thread block; leave block out");
    }
  }

  bool takes_several() const override { return several; }

 private:
  static constexpr bool several = has_several<Numbers> && sizeof...(widths) > 1;

  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    const CsrGpuArguments<Numbers> arguments{product, csr_.offsets, csr_.indices,
                                             static_cast<const Matrix*>(csr_.values), rows_};
    with_choice<widths...>(width_, [&](auto width) {
      if constexpr (width > warp_size) {
        csr_blocks_kernel<Numbers, width><<<rows_.count, width_, 0, stream>>>(arguments);
      } else {
        const unsigned blocks = blocks_for(std::int64_t{rows_.count} * width, block_);
        csr_threads_kernel<Numbers, width><<<blocks, block_, 0, stream>>>(arguments);
      }
    });
  }

  void launch_several(const LocalProduct& product, cudaStream_t stream) const override {
    if constexpr (several) launch_csr_rows<Numbers>(csr_, rows_, width_, product, stream);
  }

  using Matrix = typename Numbers::Matrix;

  std::int64_t stored_entries() const override { return listed_nonzeros_on_device(csr_, rows_); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return csr_matrix_bytes(counts, sizeof(Matrix));
  }
  std::int64_t footprint_bytes() const override { return 0; }
  std::optional<LaneUse> lanes() const override {
    return lane_use(csr_, rows_, std::min(width_, warp_size));
  }
  std::string parameters() const override {
    return width_ > 1 ? "threads=" + std::to_string(width_) : "";
  }

  int block_, width_;
};

template <class T>
using CsrScalarKernel = CsrThreadsKernel<NumberTypes<T, T, T>, 1>;
template <class Numbers>
using CsrVectorKernel = CsrThreadsKernel<Numbers, 2, 4, 8, 16, 32, 64, 128, 256, 512>;

}  // namespace

const FormatParts csr_scalar_format{
    make_with_wide_numbers<CsrScalarKernel>, {"block"}, [](const LocalStatistics& s) {
      return Prediction{cost::csr_bytes(s), cost::longest_row(s), true};
    }};

const FormatParts csr_vector_format{
    make_with_numbers<CsrVectorKernel>, {"threads", "block"}, [](const LocalStatistics& s) {
      const int threads = most_threads_per_row(static_cast<double>(s.lengths.nonzeros), s.rows);
      return Prediction{cost::csr_bytes(s), cost::longest_row(s) / threads, true};
    }};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// ell: ELLPACK. Every listed row has as many slots as the longest, and step k holds the k-th entry
// of every row side by side:
//   for thread k: s = +0; for step in [0, width): slot = step * count + k
//     if indices[slot] >= 0: s = fma(values[slot], x[indices[slot]], s)
// Each row is summed in stored order with its own accumulator: the bits of csr.
//
// Bytes of the matrix: (v + 4) m L + rows, with L the longest row.
#include "kernels/formats.hpp"
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/number_types.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/lane_sum.cuh"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

constexpr int default_block = 128;
constexpr int unroll = 8;

template <class T>
struct EllArguments {
  const LocalIndex* indices;
  const T* values;
  Offset width;
  RowListView rows;
  T alpha;
  const T* x;
  T beta;
  T* y;
};

template <class T>
__global__ void ell_kernel(EllArguments<T> a) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= a.rows.count) return;
  const T sum =
      lane_sum<T, unroll>(a.indices + k, a.values + k, a.width, std::int64_t{a.rows.count}, a.x);
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

template <class T>
class EllGpuKernel final : public DeviceFormat {
 public:
  EllGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows), block_(block_option(options, default_block)) {
    const Slices whole{std::max<LocalIndex>(rows.count, 1), Slices::Last::short_one};
    const RowLengths lengths = row_lengths_on_device(matrix, rows);
    width_ = lengths.longest;
    const Offset ends[] = {0, width_ * rows.count};
    const Offset slots = ends[1];
    const DeviceArray<Offset> begins{std::span<const Offset>(ends)};
    check_padding(options, {slots, lengths.nonzeros, matrix},
                  std::to_string(rows.count) + " rows as long as the longest",
                  "use hyb, sell or csr-vector");
    indices_ = DeviceArray<LocalIndex>(slots);
    values_ = DeviceArray<T>(slots);
    fill_slices(matrix, rows, whole, begins.data(), indices_.data(), values_.data());
    stop_clock();
  }

  void apply(double alpha, const void* x, double beta, void* y, Stream stream) const override {
    if (rows_.count == 0) return;
    ell_kernel<T><<<blocks_for(rows_.count, block_), block_, 0, native(stream)>>>(
        {indices_.data(), values_.data(), width_, rows_, static_cast<T>(alpha),
         static_cast<const T*>(x), static_cast<T>(beta), static_cast<T*>(y)});
    ROWHALO_CUDA(cudaGetLastError());
  }

 private:
  std::int64_t stored_entries() const override { return indices_.size(); }
  std::int64_t matrix_bytes(const DeviceCounts& counts) const override {
    return footprint_bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override { return indices_.bytes() + values_.bytes(); }

  int block_;
  Offset width_ = 0;
  DeviceArray<LocalIndex> indices_;
  DeviceArray<T> values_;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_gpu_ell(const CsrView& matrix, RowListView rows,
                                         const Spec& options) {
  check_format_options(options, {"max_padding", "block"});
  return with_wide_numbers(matrix.precision, [&]<class T>() -> std::unique_ptr<SpmvKernel> {
    return std::make_unique<EllGpuKernel<T>>(matrix, rows, options);
  });
}

Prediction predict_gpu_ell(const LocalStatistics& s) {
  return {cost::padded_bytes(s, cost::longest_row(s) * s.rows), cost::longest_row(s)};
}

}  // namespace rowhalo

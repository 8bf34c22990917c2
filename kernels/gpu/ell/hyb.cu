// SPDX-License-Identifier: BSD-3-Clause
//
// hyb: the first `width` entries of each row in ELLPACK (ell.cu), the others as coordinates that
// are summed by segments and added to y (segmented_sum.hpp): Bell, Garland: Efficient sparse
// matrix-vector multiplication on CUDA, NVIDIA NVR-2008-004, 2008, there with atomics. The same
// bits every time. Without width= the one that stores the fewest bytes: one column more costs a
// slot a row and saves a coordinate for each row that is longer. y is
// read and written again for rows that are longer.
//
// Bytes of the matrix: (v + 4) m W + (v + 8) b + rows, with W the width and b the entries beyond
// it; partial sums as in coo-segmented.
#include "kernels/formats.hpp"
#include "kernels/gpu/conversion/coordinates.hpp"
#include "kernels/gpu/coo/segmented_sum.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/number_types.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/lane_sum.cuh"
#include "kernels/options.hpp"

#include <algorithm>
#include <vector>

namespace rowhalo {
namespace {

constexpr int default_block = 128;
constexpr int block_threads = 256;
constexpr int unroll = 4;

template <class T>
struct HybArguments {
  const LocalIndex* indices;
  const T* values;
  LocalIndex width;
  RowListView rows;
  T alpha;
  const T* x;
  T beta;
  T* y;
};

template <class T>
__global__ void hyb_kernel(HybArguments<T> a) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= a.rows.count) return;
  const T sum =
      lane_sum<T, unroll>(a.indices + k, a.values + k, a.width, std::int64_t{a.rows.count}, a.x);
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

/// One thread per row: its first entries, then padding.
template <class T>
__global__ void fill_width(CsrView matrix, RowListView rows, LocalIndex width, LocalIndex* indices,
                           T* values) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= rows.count) return;
  const LocalIndex row = rows[static_cast<LocalIndex>(k)];
  const Offset begin = matrix.offsets[row], length = matrix.offsets[row + 1] - begin;
  for (LocalIndex step = 0; step < width; ++step) {
    const std::int64_t slot = std::int64_t{step} * rows.count + k;
    indices[slot] = step < length ? matrix.indices[begin + step] : -1;
    values[slot] = step < length ? static_cast<const T*>(matrix.values)[begin + step] : T{0};
  }
}

__global__ void write_lengths(CsrView matrix, RowListView rows, Offset* lengths) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= rows.count) return;
  const LocalIndex row = rows[static_cast<LocalIndex>(k)];
  lengths[k] = matrix.offsets[row + 1] - matrix.offsets[row];
}

/// The smallest width such that at most the share slot / entry of the rows is longer.
Offset width_of_fewest_bytes(const CsrView& matrix, RowListView rows) {
  if (rows.count == 0) return 0;
  const DeviceArray<Offset> on_device(rows.count);
  write_lengths<<<blocks_for(rows.count, block_threads), block_threads>>>(matrix, rows,
                                                                          on_device.data());
  ROWHALO_CUDA(cudaGetLastError());
  std::vector<Offset> lengths = on_device.to_host();
  const auto value_bytes = static_cast<std::int64_t>(matrix_value_bytes(matrix.precision));
  const auto longer = lengths.begin() + rows.count * (value_bytes + 4) / (value_bytes + 8);
  std::nth_element(lengths.begin(), longer, lengths.end(), std::greater<>());
  return *longer;
}

template <class T>
class HybGpuKernel final : public DeviceFormat {
 public:
  HybGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows),
        block_(block_option(options, default_block)),
        width_(static_cast<LocalIndex>(options.has("width")
                                           ? options.integer("width", 0, 0, matrix.columns)
                                           : width_of_fewest_bytes(matrix, rows))),
        beyond_(coordinates_of(matrix, rows, width_)),
        partial_(beyond_.count) {
    const std::int64_t slots = std::int64_t{width_} * rows.count;
    check_padding(options, {slots + beyond_.count, listed_nonzeros_on_device(matrix, rows), matrix},
                  std::to_string(rows.count) + " rows of " + std::to_string(width_) + " entries",
                  "make width= smaller, or leave it out");
    indices_ = DeviceArray<LocalIndex>(slots);
    values_ = DeviceArray<T>(slots);
    if (slots > 0) {
      fill_width<<<blocks_for(rows.count, block_threads), block_threads>>>(
          matrix, rows, width_, indices_.data(), values_.data());
      ROWHALO_CUDA(cudaGetLastError());
    }
    stop_clock();
  }

  void apply(double alpha, const void* x, double beta, void* y, Stream stream) const override {
    if (rows_.count == 0) return;
    hyb_kernel<T><<<blocks_for(rows_.count, block_), block_, 0, native(stream)>>>(
        {indices_.data(), values_.data(), width_, rows_, static_cast<T>(alpha),
         static_cast<const T*>(x), static_cast<T>(beta), static_cast<T*>(y)});
    ROWHALO_CUDA(cudaGetLastError());
    add_coordinates(beyond_, partial_, alpha, x, 1, y, stream);
  }

 private:
  std::int64_t stored_entries() const override { return indices_.size() + beyond_.count; }
  std::int64_t matrix_bytes(const DeviceCounts& counts) const override {
    return footprint_bytes() + partial_.bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override {
    return indices_.bytes() + values_.bytes() + beyond_.bytes() + partial_.bytes();
  }

  std::string parameters() const override { return "width=" + std::to_string(width_); }

  int block_;
  LocalIndex width_;
  Coordinates beyond_;
  PartialSums<T> partial_;
  DeviceArray<LocalIndex> indices_;
  DeviceArray<T> values_;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_gpu_hyb(const CsrView& matrix, RowListView rows,
                                         const Spec& options) {
  check_format_options(options, {"width", "max_padding", "block"});
  return with_wide_numbers(matrix.precision, [&]<class T>() -> std::unique_ptr<SpmvKernel> {
    return std::make_unique<HybGpuKernel<T>>(matrix, rows, options);
  });
}

}  // namespace rowhalo

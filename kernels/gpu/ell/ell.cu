// SPDX-License-Identifier: BSD-3-Clause
//
// ell and hyb: ELLPACK, `width` slots of every listed row, step k of all rows side by side:
//   for thread k: s = +0; for step in [0, width): slot = step * count + k
//     if indices[slot] >= 0: s = fma(values[slot], x[indices[slot]], s)
// Each row is summed in stored order with its own accumulator.
//
// ell: as many slots as the longest row has entries: the bits of csr. Several vectors at once:
// several/slots.cu.
//
// hyb: the first `width` entries of each row in ELLPACK, the others as coordinates that are summed
// by segments and added to y (segmented_sum.hpp): Bell, Garland: Efficient sparse matrix-vector
// multiplication on CUDA, NVIDIA NVR-2008-004, 2008, there with atomics. The same bits every time.
// Without width= the one that stores the fewest bytes: one column more costs a slot per row and
// saves a coordinate for each row that is longer. y is read and written again for rows that are
// longer.
//
// Bytes of the matrix (ell): (v + 4) m L + rows, with L the longest row.
//
// Bytes of the matrix (hyb): (v + 4) m W + (v + 8) b + rows, with W the width and b the entries
// beyond it; partial sums as in coo-segmented.

#include "kernels/gpu/coo/segmented_sum.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/ell/ell_slots.cuh"
#include "kernels/gpu/several/slots.hpp"
#include "kernels/gpu/warp/lane_sum.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class T>
struct EllArguments : ProductArguments<T> {
  const LocalIndex* indices;
  const T* values;
  Offset width;
  RowListView rows;
};

template <class T, int unroll>
__global__ void ell_kernel(EllArguments<T> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  const T sum =
      lane_sum<T, unroll>(a.indices + k, a.values + k, a.width, std::int64_t{a.rows.count}, a.x);
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

/// The product with `unroll` steps loaded before the first is summed; there are rows.
template <int unroll, class T>
void multiply_ell(const ProductArguments<T>& product, const EllSlots<T>& slots, Offset width,
                  RowListView rows, int block, cudaStream_t stream) {
  ell_kernel<T, unroll><<<blocks_for(rows.count, block), block, 0, stream>>>(
      {product, slots.indices.data(), slots.values.data(), width, rows});
}

constexpr int ell_unroll = 8;

template <class T>
class EllGpuKernel final : public DeviceFormat {
 public:
  EllGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows), block_(block_option(options, product_threads)) {
    const RowLengths lengths = row_lengths_on_device(matrix, rows);
    width_ = lengths.longest;
    check_padding(options, {width_ * rows.count, lengths.nonzeros, matrix},
                  std::to_string(rows.count) + " rows as long as the longest",
                  "use hyb, sell or csr-vector");
    slots_ = EllSlots<T>(matrix, rows, width_);
  }

  bool takes_several() const override { return true; }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    multiply_ell<ell_unroll, T>(product, slots_, width_, rows_, block_, stream);
  }
  void launch_several(const LocalProduct& product, cudaStream_t stream) const override {
    launch_slots<NumberTypes<T, T, T>>(
        {nullptr, width_, slots_.indices.data(), slots_.values.data(), rows_}, product, stream);
  }
  void refill_values(const CsrView& matrix, Stream stream) override {
    slots_.refill(matrix, rows_, stream);
  }
  bool copies_values() const override { return true; }

  std::int64_t stored_entries() const override { return slots_.indices.size(); }
  std::int64_t footprint_bytes() const override { return slots_.bytes(); }

  int block_;
  Offset width_ = 0;
  EllSlots<T> slots_;
};

constexpr int hyb_unroll = 4;

/// The smallest width such that at most the share slot / entry of the rows is longer.
Offset width_of_fewest_bytes(const CsrView& matrix, RowListView rows) {
  if (rows.count == 0) return 0;
  std::vector<Offset> lengths = row_lengths(matrix, rows).to_host();
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
        block_(block_option(options, product_threads)),
        width_(static_cast<LocalIndex>(options.has("width")
                                           ? options.integer("width", 0, 0, matrix.columns)
                                           : width_of_fewest_bytes(matrix, rows))),
        beyond_(coordinates_of(matrix, rows, width_)),
        partial_(beyond_.count) {
    const std::int64_t slots = std::int64_t{width_} * rows.count;
    check_padding(options, {slots + beyond_.count, listed_nonzeros_on_device(matrix, rows), matrix},
                  std::to_string(rows.count) + " rows of " + std::to_string(width_) + " entries",
                  "make width= smaller, or leave it out");
    slots_ = EllSlots<T>(matrix, rows, width_);
  }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    ProductArguments<T> arguments(product);
    multiply_ell<hyb_unroll>(arguments, slots_, width_, rows_, block_, stream);
    arguments.beta = 1;
    add_coordinates(beyond_, partial_, arguments, stream);
  }

  std::int64_t stored_entries() const override { return slots_.indices.size() + beyond_.count; }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return footprint_bytes() + partial_.bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override {
    return slots_.bytes() + beyond_.bytes() + partial_.bytes();
  }

  std::string parameters() const override { return "width=" + std::to_string(width_); }

  int block_;
  LocalIndex width_;
  Coordinates beyond_;
  SegmentSums<T> partial_;
  EllSlots<T> slots_;
};

}  // namespace

const FormatParts gpu_ell_format{
    make_with_wide_numbers<EllGpuKernel>, {"max_padding", "block"}, [](const LocalStatistics& s) {
      return Prediction{cost::padded_bytes(s, cost::longest_row(s) * s.rows), cost::longest_row(s)};
    }};

const FormatParts gpu_hyb_format{make_with_wide_numbers<HybGpuKernel>,
                                 {"width", "max_padding", "block"}};

}  // namespace rowhalo

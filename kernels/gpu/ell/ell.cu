// SPDX-License-Identifier: BSD-3-Clause
//
// ell and hyb: ELLPACK, `width` slots of every listed row, step k of all rows side by side:
//   for thread k: s = +0; for step in [0, width): slot = step * count + k
//     if indices[slot] >= 0: s = fma(values[slot], x[indices[slot]], s)
// Each row is summed in stored order with its own accumulator.
//
// ell: as many slots as the longest row has entries: the bits of csr.
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

#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/coo/segmented_sum.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/device/listed_rows.hpp"
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

/// The slots, which the format fills: -1 in `indices` where a row has ended.
template <class T>
struct EllBlock {
  EllBlock() = default;
  EllBlock(RowListView listed, Offset slots_per_row)
      : rows(listed),
        width(slots_per_row),
        indices(slots_per_row * listed.count),
        values(indices.size()) {}

  std::int64_t bytes() const { return indices.bytes() + values.bytes(); }

  /// The product with `unroll` steps loaded before the first is summed; there are rows.
  template <int unroll>
  void apply(const ProductArguments<T>& product, int block, cudaStream_t stream) const {
    ell_kernel<T, unroll><<<blocks_for(rows.count, block), block, 0, stream>>>(
        {product, indices.data(), values.data(), width, rows});
  }

  RowListView rows;
  Offset width = 0;
  DeviceArray<LocalIndex> indices;
  DeviceArray<T> values;
};

constexpr int ell_unroll = 8;

template <class T>
class EllGpuKernel final : public DeviceFormat {
 public:
  EllGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows), block_(block_option(options, product_threads)) {
    const Slices whole{std::max<LocalIndex>(rows.count, 1), Slices::Last::short_one};
    const RowLengths lengths = row_lengths_on_device(matrix, rows);
    const Offset ends[] = {0, lengths.longest * rows.count};
    const DeviceArray<Offset> begins{std::span<const Offset>(ends)};
    check_padding(options, {ends[1], lengths.nonzeros, matrix},
                  std::to_string(rows.count) + " rows as long as the longest",
                  "use hyb, sell or csr-vector");
    slots_ = EllBlock<T>(rows, lengths.longest);
    fill_slices(matrix, rows, whole, begins.data(), slots_.indices.data(), slots_.values.data());
  }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    slots_.template apply<ell_unroll>(product, block_, stream);
  }

  std::int64_t stored_entries() const override { return slots_.indices.size(); }
  std::int64_t footprint_bytes() const override { return slots_.bytes(); }

  int block_;
  EllBlock<T> slots_;
};

constexpr int hyb_unroll = 4;

/// One thread per row: its first entries, then padding.
template <class T>
__global__ void fill_width(CsrView matrix, RowListView rows, LocalIndex width, LocalIndex* indices,
                           T* values) {
  const std::int64_t k = thread_index();
  if (k >= rows.count) return;
  const LocalIndex row = rows[static_cast<LocalIndex>(k)];
  const Offset begin = matrix.offsets[row], length = matrix.offsets[row + 1] - begin;
  for (LocalIndex step = 0; step < width; ++step) {
    const std::int64_t slot = std::int64_t{step} * rows.count + k;
    indices[slot] = step < length ? matrix.indices[begin + step] : -1;
    values[slot] = step < length ? static_cast<const T*>(matrix.values)[begin + step] : T{0};
  }
}

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
    slots_ = EllBlock<T>(rows, width_);
    launch_items(fill_width<T>, rows.count, matrix, rows, width_, slots_.indices.data(),
                 slots_.values.data());
  }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    ProductArguments<T> arguments(product);
    slots_.template apply<hyb_unroll>(arguments, block_, stream);
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
  EllBlock<T> slots_;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_gpu_ell(const CsrView& matrix, RowListView rows,
                                         const Spec& options) {
  return make_with_wide_numbers<EllGpuKernel>(matrix, rows, options, {"max_padding", "block"});
}

Prediction predict_gpu_ell(const LocalStatistics& s) {
  return {cost::padded_bytes(s, cost::longest_row(s) * s.rows), cost::longest_row(s)};
}

std::unique_ptr<SpmvKernel> make_gpu_hyb(const CsrView& matrix, RowListView rows,
                                         const Spec& options) {
  return make_with_wide_numbers<HybGpuKernel>(matrix, rows, options,
                                              {"width", "max_padding", "block"});
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// coo-segmented: coordinates summed by segments (segmented_sum.hpp), without atomics: the same bits
// every time. Listed rows without entries get their beta * y in a launch of their own, if there are
// any.
//
// Bytes of the matrix: n (v + 8), 4 per empty row, 2 (v + 4) twice for each 512 entries (partial
// sums, written and read).
#include "kernels/gpu/conversion/coordinates.hpp"
#include "kernels/gpu/coo/segmented_sum.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class T>
__global__ void finish_empty_rows(const LocalIndex* rows, std::int64_t count, T alpha, T beta,
                                  T* y) {
  const std::int64_t k = thread_index();
  if (k < count) finish_row(alpha, T{0}, beta, y[rows[k]]);
}

template <class T>
class CooSegmentedKernel final : public DeviceFormat {
 public:
  CooSegmentedKernel(const CsrView& matrix, RowListView rows, const Spec&)
      : DeviceFormat(matrix, rows),
        entries_(coordinates_of(matrix, rows, 0)),
        empty_rows_(rows_up_to(matrix, rows, 0)),
        partial_(entries_.count) {}

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    const ProductArguments<T> arguments(product);
    if (empty_rows_.size() > 0) {
      finish_empty_rows<<<blocks_for(empty_rows_.size(), conversion_threads), conversion_threads, 0,
                          stream>>>(empty_rows_.data(), empty_rows_.size(), arguments.alpha,
                                    arguments.beta, arguments.y);
    }
    add_coordinates(entries_, partial_, arguments, stream);
  }

  std::int64_t stored_entries() const override { return entries_.count; }
  std::int64_t matrix_bytes(const RowCounts&) const override {
    return entries_.bytes() + empty_rows_.bytes() + 2 * partial_.bytes();
  }
  std::int64_t footprint_bytes() const override {
    return entries_.bytes() + empty_rows_.bytes() + partial_.bytes();
  }

  Coordinates entries_;
  DeviceArray<LocalIndex> empty_rows_;
  SegmentSums<T> partial_;
};

}  // namespace

const FormatParts coo_segmented_format{make_with_wide_numbers<CooSegmentedKernel>, {}};

}  // namespace rowhalo

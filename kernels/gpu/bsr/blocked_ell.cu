// SPDX-License-Identifier: BSD-3-Clause
//
// blocked-ell: blocks of b = 2..8 rows and columns in one slice (block_rows.hpp): as many in every
// block row as in the longest, and step s of all block rows side by side:
//   for thread k: R = k / b, r = k % b; s = +0
//     for step in [0, width): column = columns[step * block rows + R]; for c in [0, b):
//       value = values[((step * b + c) * block rows + R) * b + r]
//       if value is no hole: s = fma(value, x[column + c], s)
// Neighbouring threads read neighbouring values; rows keep their stored order.
//
// Bytes of the matrix: B (b b v + 4) + rows, with B = m / b times the longest block row.

#include "kernels/gpu/bsr/block_rows.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/holes.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class T>
struct BlockedArguments : ProductArguments<T> {
  const LocalIndex* columns;
  const T* values;
  int size;
  LocalIndex width, block_rows, last_column;
  RowListView rows;
};

template <class T>
__global__ void blocked_ell_kernel(BlockedArguments<T> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  const std::int64_t lanes = std::int64_t{a.block_rows} * a.size;
  T sum = 0;
  for (LocalIndex step = 0; step < a.width; ++step) {
    const LocalIndex column = cached(a.columns + std::int64_t{step} * a.block_rows + k / a.size);
    for (int c = 0; c < a.size; ++c) {
      const T value = streamed(a.values + (std::int64_t{step} * a.size + c) * lanes + k);
      const T factor = cached(a.x + min(column + c, a.last_column));
      const T next = fused_multiply_add(value, factor, sum);
      sum = is_hole(value) ? sum : next;
    }
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

template <class T>
class BlockedEllKernel final : public DeviceFormat {
 public:
  BlockedEllKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows),
        blocks_(make_block_rows(matrix, rows, {.slice = 0, .columns16 = false, .sort = false},
                                options)) {}

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    blocked_ell_kernel<T><<<blocks_for(rows_.count, bsr_threads), bsr_threads, 0, stream>>>(
        {product, reinterpret_cast<const LocalIndex*>(blocks_.columns.data()),
         reinterpret_cast<const T*>(blocks_.values.data()), blocks_.size, width(), blocks_.count,
         csr_.columns - 1, rows_});
  }

  /// Blocks of every block row.
  LocalIndex width() const {
    const auto blocks = static_cast<std::int64_t>(blocks_.columns.bytes() / sizeof(LocalIndex));
    return static_cast<LocalIndex>(blocks / std::max(blocks_.count, 1));
  }
  std::int64_t stored_entries() const override { return blocks_.values_count; }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return blocks_.columns.bytes() + blocks_.values.bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override { return blocks_.bytes(); }
  std::string parameters() const override {
    return blocks_.parameters(listed_nonzeros_on_device(csr_, rows_));
  }

  BlockRows blocks_;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_blocked_ell(const CsrView& matrix, RowListView rows,
                                             const Spec& options) {
  return make_with_wide_numbers<BlockedEllKernel>(matrix, rows, options, {"b", "max_padding"});
}

}  // namespace rowhalo

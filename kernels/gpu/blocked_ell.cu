// SPDX-License-Identifier: BSD-3-Clause
//
// blocked-ell: blocks of b = 2..8 rows and columns (block_rows.hpp), as many in every block row as
// in the longest, and step s of all block rows side by side:
//   for thread k: R = k / b, r = k % b; s = +0
//     for step in [0, width): C = columns[step * block rows + R]; if C >= 0: for c in [0, b):
//       s = fma(values[(step * b + c) * count + k], x[b * C + c], s)
// Neighbouring threads read neighbouring values. Bytes of a product: 8 b^2 (fp32: 4 b^2) and 4 a
// block with its padding (12 where blocks have gaps), the row list, x and y once.
#include <algorithm>
#include "kernels/formats.hpp"
#include "kernels/gpu/bits.cuh"
#include "kernels/gpu/block_rows.hpp"
#include "kernels/gpu/device_format.hpp"
#include "kernels/gpu/launch.hpp"
#include "kernels/gpu/number_types.hpp"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

constexpr int block_threads = 128;

template <class T>
struct BlockedArguments {
  const LocalIndex* columns;
  const T* values;
  const unsigned long long* masks;  ///< null: no gaps
  int size;
  LocalIndex width, block_rows;
  RowListView rows;
  T alpha;
  const T* x;
  T beta;
  T* y;
};

template <class T>
__global__ void blocked_ell_kernel(BlockedArguments<T> a) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= a.rows.count) return;
  const std::int64_t block_row = k / a.size;
  const auto r = static_cast<int>(k % a.size);
  T sum = 0;
  for (LocalIndex step = 0; step < a.width; ++step) {
    const std::int64_t block = std::int64_t{step} * a.block_rows + block_row;
    const LocalIndex column = cached(a.columns + block);
    if (column < 0) break;
    const unsigned long long mask = a.masks == nullptr ? ~0ull : cached(a.masks + block);
    for (int c = 0; c < a.size; ++c) {
      if ((mask >> (c * a.size + r) & 1) == 0) continue;
      const T* value = a.values + (std::int64_t{step} * a.size + c) * a.rows.count + k;
      sum = fused_multiply_add(streamed(value), cached(a.x + column * a.size + c), sum);
    }
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

/// A thread a block row.
__global__ void measure_width(const Offset* offsets, LocalIndex block_rows, int* width) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < block_rows) atomicMax(width, static_cast<int>(offsets[k + 1] - offsets[k]));
}

/// A thread a row: its entries of every step.
template <class T>
__global__ void fill_steps(const Offset* offsets, const LocalIndex* columns, const T* values,
                           const unsigned long long* masks, int size, LocalIndex width,
                           LocalIndex block_rows, LocalIndex rows, LocalIndex* step_columns,
                           T* step_values, unsigned long long* step_masks) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= rows) return;
  const std::int64_t block_row = k / size;
  const auto r = static_cast<int>(k % size);
  const Offset first = offsets[block_row], count = offsets[block_row + 1] - first;
  for (LocalIndex step = 0; step < width; ++step) {
    const std::int64_t block = std::int64_t{step} * block_rows + block_row;
    const bool there = step < count;
    if (r == 0) {
      step_columns[block] = there ? columns[first + step] : -1;
      if (masks != nullptr) step_masks[block] = there ? masks[first + step] : 0;
    }
    for (int c = 0; c < size; ++c) {
      step_values[(std::int64_t{step} * size + c) * rows + k] =
          there ? values[(first + step) * size * size + c * size + r] : T{0};
    }
  }
}

template <class T>
class BlockedEllKernel final : public DeviceFormat {
 public:
  BlockedEllKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows), size_(block_size_option(matrix, rows, options)) {
    if (rows.count == 0) return;
    const BlockRows blocks = make_block_rows(matrix, rows, size_, options);
    block_rows_ = blocks.count;
    const DeviceArray<int> width(1);
    set_bytes_async(width.data(), 0, sizeof(int), Stream{});
    measure_width<<<blocks_for(block_rows_, block_threads), block_threads>>>(
        blocks.offsets.data(), block_rows_, width.data());
    ROWHALO_CUDA(cudaGetLastError());
    width_ = width.to_host()[0];
    const std::int64_t steps = std::int64_t{width_} * block_rows_;
    const std::int64_t slots = std::int64_t{width_} * size_ * rows.count;
    check_padding(options, {slots, listed_nonzeros_on_device(matrix, rows), matrix.nonzeros},
                  std::to_string(block_rows_) + " block rows as long as the longest",
                  "use bsr, sell or csr-vector");
    columns_ = DeviceArray<LocalIndex>(steps);
    values_ = DeviceArray<T>(slots);
    if (blocks.masks.size() > 0) masks_ = DeviceArray<unsigned long long>(steps);
    if (slots > 0) {
      fill_steps<<<blocks_for(rows.count, block_threads), block_threads>>>(
          blocks.offsets.data(), blocks.columns.data(),
          reinterpret_cast<const T*>(blocks.values.data()), blocks.masks.data(), size_, width_,
          block_rows_, rows.count, columns_.data(), values_.data(), masks_.data());
      ROWHALO_CUDA(cudaGetLastError());
      synchronize_device();
    }
    stop_clock();
  }

  void apply(double alpha, const void* x, double beta, void* y, Stream stream) const override {
    if (rows_.count == 0) return;
    blocked_ell_kernel<T>
        <<<blocks_for(rows_.count, block_threads), block_threads, 0, native(stream)>>>(
            {columns_.data(), values_.data(), masks_.data(), size_, width_, block_rows_, rows_,
             static_cast<T>(alpha), static_cast<const T*>(x), static_cast<T>(beta),
             static_cast<T*>(y)});
    ROWHALO_CUDA(cudaGetLastError());
  }

 private:
  std::int64_t stored_entries() const override { return values_.size(); }
  std::int64_t matrix_bytes(const DeviceCounts& counts) const override {
    return footprint_bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override {
    return columns_.bytes() + values_.bytes() + masks_.bytes();
  }

  std::string parameters() const override { return "b=" + std::to_string(size_); }

  int size_;
  LocalIndex width_ = 0, block_rows_ = 0;
  DeviceArray<LocalIndex> columns_;
  DeviceArray<T> values_;
  DeviceArray<unsigned long long> masks_;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_blocked_ell(const CsrView& matrix, RowListView rows,
                                             const Spec& options) {
  check_format_options(options, {"b", "max_padding"});
  return with_wide_numbers(matrix.precision, [&]<class T>() -> std::unique_ptr<SpmvKernel> {
    return std::make_unique<BlockedEllKernel<T>>(matrix, rows, options);
  });
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// dia: diagonals. Slot (d, k) holds the entry of listed row k on the d-th diagonal that any of them
// has, and a bit says whether there is one; without one, x[0] is loaded and the product discarded:
//   for thread k: i = rows[k]; s = +0; for d in [0, diagonals):
//     if bit k of masks[d]: s = fma(values[d * count + k], x[i + shifts[d]], s)
// Diagonals ascend, so a row is summed by ascending local column.
//
// Bytes of the matrix: d m (v + 1/8) + 4 d + rows, with d diagonals.
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class T>
struct DiaArguments : ProductArguments<T> {
  const LocalIndex* shifts;  ///< column minus row
  const unsigned* masks;
  const T* values;
  LocalIndex diagonals;
  RowListView rows;
};

__host__ __device__ std::int64_t words_of(LocalIndex rows) {
  return (std::int64_t{rows} + warp_size - 1) / warp_size;
}

template <class T>
__global__ void dia_kernel(DiaArguments<T> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  const LocalIndex row = a.rows[static_cast<LocalIndex>(k)];
  const std::int64_t words = words_of(a.rows.count);
  T sum = 0;
#pragma unroll 4
  for (LocalIndex d = 0; d < a.diagonals; ++d) {
    const bool there = a.masks[d * words + k / warp_size] >> (k % warp_size) & 1;
    const T value = streamed(a.values + std::int64_t{d} * a.rows.count + k);
    // In range for every entry that is there; elsewhere x[0] is loaded in its place.
    const T factor = cached(a.x + (there ? row + a.shifts[d] : 0));
    const T next = fused_multiply_add(value, factor, sum);
    sum = there ? next : sum;
  }
  finish_row(a.alpha, sum, a.beta, a.y[row]);
}

/// One warp per row. Diagonal column - row + rows - 1 has an entry.
__global__ void mark_diagonals(CsrView matrix, RowListView rows, unsigned char* used) {
  const std::int64_t k = thread_index() / warp_size;
  if (k >= rows.count) return;
  const LocalIndex row = rows[static_cast<LocalIndex>(k)];
  const Offset end = matrix.offsets[row + 1];
  for (Offset e = matrix.offsets[row] + threadIdx.x % warp_size; e < end; e += warp_size) {
    used[std::int64_t{matrix.indices[e]} - row + matrix.rows - 1] = 1;
  }
}

/// Where each diagonal stands among those that are there; `shifts` from their positions.
__global__ void number_diagonals(const std::int64_t* positions, LocalIndex count,
                                 LocalIndex matrix_rows, LocalIndex* shifts, LocalIndex* numbers) {
  const std::int64_t d = thread_index();
  if (d >= count) return;
  shifts[d] = static_cast<LocalIndex>(positions[d] - matrix_rows + 1);
  numbers[positions[d]] = static_cast<LocalIndex>(d);
}

/// One warp per row.
template <class T>
__global__ void fill_diagonals(CsrView matrix, RowListView rows, const LocalIndex* numbers,
                               unsigned* masks, T* values) {
  const std::int64_t k = thread_index() / warp_size;
  if (k >= rows.count) return;
  const LocalIndex row = rows[static_cast<LocalIndex>(k)];
  const Offset end = matrix.offsets[row + 1];
  for (Offset e = matrix.offsets[row] + threadIdx.x % warp_size; e < end; e += warp_size) {
    const std::int64_t d = numbers[std::int64_t{matrix.indices[e]} - row + matrix.rows - 1];
    values[d * rows.count + k] = static_cast<const T*>(matrix.values)[e];
    atomicOr(&masks[d * words_of(rows.count) + k / warp_size], 1u << (k % warp_size));
  }
}

template <class T>
class DiaGpuKernel final : public DeviceFormat {
 public:
  DiaGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows), block_(block_option(options, product_threads)) {
    if (rows.count == 0) return;
    const std::int64_t possible = std::int64_t{matrix.rows} + matrix.columns;
    const auto used = filled_array<unsigned char>(possible);
    launch_warps(mark_diagonals, rows.count, matrix, rows, used.data());
    const DeviceArray<std::int64_t> positions = places_of_flags(used);
    const std::int64_t diagonals = positions.size();
    const Offset nonzeros = listed_nonzeros_on_device(matrix, rows);
    check_padding(
        options, {diagonals * rows.count, nonzeros, matrix},
        std::to_string(diagonals) + " diagonals of " + std::to_string(rows.count) + " rows",
        "use sell or csr-vector");
    shifts_ = DeviceArray<LocalIndex>(diagonals);
    masks_ = filled_array<unsigned>(diagonals * words_of(rows.count));
    values_ = filled_array<T>(diagonals * rows.count);
    const DeviceArray<LocalIndex> numbers(possible);
    launch_items(number_diagonals, diagonals, positions.data(), static_cast<LocalIndex>(diagonals),
                 matrix.rows, shifts_.data(), numbers.data());
    launch_warps(fill_diagonals<T>, rows.count, matrix, rows, numbers.data(), masks_.data(),
                 values_.data());
  }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    dia_kernel<T><<<blocks_for(rows_.count, block_), block_, 0, stream>>>(
        {product, shifts_.data(), masks_.data(), values_.data(),
         static_cast<LocalIndex>(shifts_.size()), rows_});
  }

  std::int64_t stored_entries() const override { return values_.size(); }
  std::int64_t footprint_bytes() const override {
    return shifts_.bytes() + masks_.bytes() + values_.bytes();
  }

  int block_;
  DeviceArray<LocalIndex> shifts_;
  DeviceArray<unsigned> masks_;
  DeviceArray<T> values_;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_gpu_dia(const CsrView& matrix, RowListView rows,
                                         const Spec& options) {
  return make_with_wide_numbers<DiaGpuKernel>(matrix, rows, options, {"max_padding", "block"});
}

Prediction predict_gpu_dia(const LocalStatistics& s) {
  return {cost::diagonal_bytes(s)};
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// dia: diagonals. Slot (d, k) holds the entry of listed row k on the d-th diagonal that any of them
// has, and a bit says whether there is one; without one, x[0] is loaded and the product discarded:
//   for thread k: i = rows[k]; s = +0; for d in [0, diagonals):
//     if bit k of masks[d]: s = fma(values[d * count + k], x[i + shifts[d]], s)
// Diagonals ascend, so a row is summed by ascending local column.
//
// Bytes of the matrix: d m (v + 1/8) + 4 d + rows, with d diagonals.
#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/values/positions.cuh"
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

/// Which of all diagonals have an entry: that of column - row at its place behind the lowest.
DeviceArray<std::int64_t> used_diagonals(const CsrView& matrix, RowListView rows) {
  const auto used = filled_array<unsigned char>(std::int64_t{matrix.rows} + matrix.columns);
  for_each_entry(matrix, rows,
                 [=, used = used.data()] __device__(std::int64_t, const RowEntries& row, Offset e) {
                   used[std::int64_t{matrix.indices[e]} - row.row + matrix.rows - 1] = 1;
                 });
  return places_of_flags(used);
}

void set_shifts(const DeviceArray<std::int64_t>& places, LocalIndex rows, LocalIndex* shifts) {
  for_each_item(places.size(), [=, places = places.data()] __device__(std::int64_t d) {
    shifts[d] = static_cast<LocalIndex>(places[d] - rows + 1);
  });
}

/// The entries, each to its diagonal, which is searched for; without `masks` values alone.
template <class T>
void fill_diagonals(const CsrView& matrix, RowListView rows, const DeviceArray<LocalIndex>& shifts,
                    unsigned* masks, T* values, Stream stream) {
  const auto put = [=, shifts = shifts.data(), diagonals = shifts.size()] __device__(
                       std::int64_t k, const RowEntries& row, Offset e) {
    const std::int64_t d = count_below(matrix.indices[e] - row.row, shifts, diagonals);
    values[d * rows.count + k] = static_cast<const T*>(matrix.values)[e];
    if (masks == nullptr) return;
    atomicOr(&masks[d * words_of(rows.count) + k / warp_size], 1u << (k % warp_size));
  };
  for_each_entry(matrix, rows, put, {native(stream)});
}

template <class T>
class DiaGpuKernel final : public DeviceFormat {
 public:
  DiaGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows), block_(block_option(options, product_threads)) {
    if (rows.count == 0) return;
    const DeviceArray<std::int64_t> places = used_diagonals(matrix, rows);
    const std::int64_t diagonals = places.size();
    const Offset nonzeros = listed_nonzeros_on_device(matrix, rows);
    check_padding(
        options, {diagonals * rows.count, nonzeros, matrix},
        std::to_string(diagonals) + " diagonals of " + std::to_string(rows.count) + " rows",
        "use sell or csr-vector");
    shifts_ = DeviceArray<LocalIndex>(diagonals);
    masks_ = filled_array<unsigned>(diagonals * words_of(rows.count));
    values_ = filled_array<T>(diagonals * rows.count);
    set_shifts(places, matrix.rows, shifts_.data());
    fill_diagonals(matrix, rows, shifts_, masks_.data(), values_.data(), {});
    synchronize_device();  // before `places` go
  }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    dia_kernel<T><<<blocks_for(rows_.count, block_), block_, 0, stream>>>(
        {product, shifts_.data(), masks_.data(), values_.data(),
         static_cast<LocalIndex>(shifts_.size()), rows_});
  }
  void refill_values(const CsrView& matrix, Stream stream) override {
    fill_diagonals(matrix, rows_, shifts_, nullptr, values_.data(), stream);
  }
  bool copies_values() const override { return true; }

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

const FormatParts gpu_dia_format{
    make_with_wide_numbers<DiaGpuKernel>, {"max_padding", "block"}, [](const LocalStatistics& s) {
      return Prediction{cost::diagonal_bytes(s)};
    }};

}  // namespace rowhalo

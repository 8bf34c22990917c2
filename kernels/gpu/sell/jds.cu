// SPDX-License-Identifier: BSD-3-Clause
//
// jds: jagged diagonals (Saad: Krylov subspace methods on supercomputers, SIAM J. Sci. Stat.
// Comput. 10, 1989). Rows are sorted by falling length; diagonal d holds the d-th entries of all
// rows that have one, side by side, without padding:
//   for thread k: s = +0; for d in [0, length of row k): slot = begins[d] + k
//     s = fma(values[slot], x[indices[slot]], s)
// A row has entry d when begins[d] + k lies before begins[d + 1]. The bits of csr.
//
// Bytes of the matrix: n (v + 4) + 8 (L + 1) + 4 m, with L the longest row.
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class T>
struct JdsArguments : ProductArguments<T> {
  const Offset* begins;
  const LocalIndex* indices;
  const T* values;
  RowListView rows;  ///< sorted
  Offset diagonals;
};

template <class T>
__global__ void jds_kernel(JdsArguments<T> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  T sum = 0;
  Offset begin = a.begins[0];
#pragma unroll 4
  for (Offset d = 0; d < a.diagonals; ++d) {
    const Offset end = cached(a.begins + d + 1), slot = begin + k;
    if (slot >= end) break;
    sum = fused_multiply_add(streamed(a.values + slot), cached(a.x + streamed(a.indices + slot)),
                             sum);
    begin = end;
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

/// Rows are sorted: diagonal d is as long as the number of rows with more than d entries. Row k
/// ends the diagonals that the next row does not have.
DeviceArray<Offset> begins_of_diagonals(const CsrView& matrix, RowListView sorted,
                                        Offset diagonals) {
  const auto lengths = filled_array<Offset>(diagonals + 1);
  for_each_row(matrix, sorted,
               [=, lengths = lengths.data()] __device__(std::int64_t k, const RowEntries& row) {
                 for (Offset d = entries_of(matrix, sorted, k + 1).length(); d < row.length();
                      ++d) {
                   lengths[d] = k + 1;
                 }
               });
  return prefix_sum(lengths);
}

template <class T>
void fill_jagged_diagonals(const CsrView& matrix, RowListView sorted, const Offset* begins,
                           LocalIndex* indices, T* values) {
  for_each_entry(matrix, sorted, [=] __device__(std::int64_t k, const RowEntries& row, Offset e) {
    const Offset slot = begins[e - row.begin] + k;
    indices[slot] = matrix.indices[e];
    values[slot] = static_cast<const T*>(matrix.values)[e];
  });
}

template <class T>
class JdsGpuKernel final : public DeviceFormat {
 public:
  JdsGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows),
        block_(block_option(options, product_threads)),
        sorted_(sorted_by_length(matrix, rows, std::max<LocalIndex>(rows.count, 1))) {
    if (rows.count == 0) return;
    const RowListView order = sorted_.view();
    diagonals_ = row_lengths_on_device(matrix, rows).longest;
    begins_ = begins_of_diagonals(matrix, order, diagonals_);
    indices_ = DeviceArray<LocalIndex>(begins_.back());
    values_ = DeviceArray<T>(indices_.size());
    fill_jagged_diagonals(matrix, order, begins_.data(), indices_.data(), values_.data());
  }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    jds_kernel<T><<<blocks_for(rows_.count, block_), block_, 0, stream>>>(
        {product, begins_.data(), indices_.data(), values_.data(), sorted_.view(), diagonals_});
  }

  std::int64_t stored_entries() const override { return indices_.size(); }
  std::int64_t matrix_bytes(const RowCounts&) const override { return footprint_bytes(); }
  std::int64_t footprint_bytes() const override {
    return begins_.bytes() + indices_.bytes() + values_.bytes() + sorted_.bytes();
  }

  std::optional<LaneUse> lanes() const override {
    return LaneUse{1, lane_use(csr_, sorted_.view(), 1).balance};
  }

  int block_;
  DeviceRowList sorted_;
  Offset diagonals_ = 0;
  DeviceArray<Offset> begins_;
  DeviceArray<LocalIndex> indices_;
  DeviceArray<T> values_;
};

}  // namespace

const FormatParts gpu_jds_format{make_with_wide_numbers<JdsGpuKernel>, {"block"}};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// From CSR to the dense matrix (dense_block.hpp): every row is compared with the first, then
// copied, one thread per entry.

#include "kernels/gpu/dense/dense_block.hpp"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

constexpr std::int64_t alignment_bytes = 16;  // of a row: vector loads

struct Findings {
  LocalIndex other_row;  ///< the first row that has other columns
  int in_order;          ///< the columns are 0, 1, 2, ...
};

__global__ void measure_first_row(CsrView matrix, RowListView rows, Offset* begin_and_end) {
  if (thread_index() > 0) return;
  const LocalIndex row = rows[0];
  begin_and_end[0] = matrix.offsets[row];
  begin_and_end[1] = matrix.offsets[row + 1];
}

/// One thread per entry of the rows as they would be if all were as long as the first.
__global__ void compare_rows(CsrView matrix, RowListView rows, Offset first_begin,
                             LocalIndex columns, Findings* findings) {
  for (std::int64_t item = thread_index(); item < std::int64_t{rows.count} * (columns + 1);
       item += thread_count()) {
    const auto k = static_cast<LocalIndex>(item / (columns + 1));
    const auto e = static_cast<LocalIndex>(item % (columns + 1));
    const LocalIndex row = rows[k];
    const Offset begin = matrix.offsets[row];
    bool same = matrix.offsets[row + 1] - begin == columns;
    if (same && e < columns) {
      const LocalIndex column = matrix.indices[first_begin + e];
      same = matrix.indices[begin + e] == column;
      if (k == 0 && column != e) findings->in_order = 0;
    }
    if (!same) atomicMin(&findings->other_row, row);
  }
}

template <class Word>
__global__ void copy_dense_entries(CsrView matrix, RowListView rows, LocalIndex columns,
                                   std::int64_t row_stride, std::int64_t column_stride,
                                   Word* values) {
  for (std::int64_t item = thread_index(); item < std::int64_t{rows.count} * columns;
       item += thread_count()) {
    const auto k = static_cast<LocalIndex>(item / columns);
    const auto e = static_cast<LocalIndex>(item % columns);
    const Offset entry = matrix.offsets[rows[k]] + e;
    values[k * row_stride + e * column_stride] = static_cast<const Word*>(matrix.values)[entry];
  }
}

template <class Word>
__global__ void gather(const LocalIndex* indices, LocalIndex count, const Word* x, Word* ordered) {
  const std::int64_t e = thread_index();
  if (e < count) ordered[e] = x[indices[e]];
}

}  // namespace

DenseBlock::DenseBlock(const CsrView& matrix, RowListView rows, Layout layout, const Spec& options)
    : vector_bytes_(vector_value_bytes(matrix.precision)) {
  if (rows.count == 0) return;
  const DeviceArray<Offset> first(2);
  launch_items(measure_first_row, 1, matrix, rows, first.data());
  const std::vector<Offset> ends = first.to_host();
  columns_ = static_cast<LocalIndex>(ends[1] - ends[0]);

  Findings findings{matrix.rows, 1};
  const DeviceArray<Findings> found{std::span<const Findings>(&findings, 1)};
  const std::int64_t entries = std::int64_t{rows.count} * columns_;
  launch_filling(compare_rows, entries + rows.count, matrix, rows, ends[0], columns_, found.data());
  findings = found.back();
  if (findings.other_row < matrix.rows) {
    options.fail("a dense format takes rows that all hold the same columns, but row " +
                 std::to_string(findings.other_row) +
                 " of the rank differs from its first; use csr-vector");
  }

  const auto bytes = static_cast<std::int64_t>(matrix_value_bytes(matrix.precision));
  const std::int64_t aligned = alignment_bytes / bytes;
  const std::int64_t line = layout == Layout::rows ? columns_ : rows.count;
  leading_ = (line + aligned - 1) / aligned * aligned;
  value_bytes_ = entries * bytes;
  const std::int64_t lines = layout == Layout::rows ? rows.count : columns_;
  values_ = DeviceMemory(leading_ * lines * bytes);
  with_word(static_cast<std::size_t>(bytes), [&]<class Word>(Word) {
    launch_filling(copy_dense_entries<Word>, entries, matrix, rows, columns_,
                   layout == Layout::rows ? leading_ : 1, layout == Layout::rows ? 1 : leading_,
                   reinterpret_cast<Word*>(values_.data()));
  });
  if (findings.in_order == 0) {
    indices_ = DeviceArray<LocalIndex>(columns_);
    copy_now(indices_.data(), matrix.indices + ends[0], static_cast<std::size_t>(indices_.bytes()));
    gathered_ = DeviceMemory(columns_ * vector_bytes_);
  }
  synchronize_device();
}

const void* DenseBlock::gathered(const void* x, cudaStream_t stream) const {
  with_word(vector_bytes_, [&]<class Word>(Word) {
    gather<<<blocks_for(columns_, conversion_threads), conversion_threads, 0, stream>>>(
        indices_.data(), columns_, static_cast<const Word*>(x),
        reinterpret_cast<Word*>(gathered_.data()));
  });
  ROWHALO_CUDA(cudaGetLastError());
  return gathered_.data();
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// From CSR to the dense matrix (dense_block.hpp): every row is compared with the first, then
// copied, one thread per entry.

#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/dense/dense_block.hpp"
#include "kernels/gpu/device/words.hpp"

namespace rowhalo {
namespace {

constexpr std::int64_t alignment_bytes = 16;  // of a row: vector loads

struct Findings {
  LocalIndex other_row;  ///< the first row that has other columns
  int in_order;          ///< the columns are 0, 1, 2, ...
};

/// Compares rows with the first, whose entries begin at `first_begin`, by a thread per entry of the
/// rows as they would be if all were as long.
Findings compare_rows(const CsrView& matrix, RowListView rows, Offset first_begin,
                      LocalIndex columns) {
  const Findings none{matrix.rows, 1};
  const DeviceArray<Findings> found{std::span<const Findings>(&none, 1)};
  for_each_item(std::int64_t{rows.count} * (columns + 1),
                [=, findings = found.data()] __device__(std::int64_t item) {
                  const std::int64_t k = item / (columns + 1);
                  const auto e = static_cast<LocalIndex>(item % (columns + 1));
                  const RowEntries row = entries_of(matrix, rows, k);
                  bool same = row.length() == columns;
                  if (same && e < columns) {
                    const LocalIndex column = matrix.indices[first_begin + e];
                    same = matrix.indices[row.begin + e] == column;
                    if (k == 0 && column != e) findings->in_order = 0;
                  }
                  if (!same) atomicMin(&findings->other_row, row.row);
                });
  return found.back();
}

/// Entry e of row k to k * row_stride + e * column_stride.
void copy_dense_entries(const CsrView& matrix, RowListView rows, std::int64_t row_stride,
                        std::int64_t column_stride, void* values, Stream stream) {
  const std::size_t bytes = matrix_value_bytes(matrix.precision);
  const auto copy = [=] __device__(std::int64_t k, const RowEntries& row, Offset e) {
    copy_number(bytes, matrix.values, e, values, k * row_stride + (e - row.begin) * column_stride);
  };
  for_each_entry(matrix, rows, copy, {native(stream)});
}

/// Where the entries of the first listed row begin and end; there is one.
std::vector<Offset> ends_of_first_row(const CsrView& matrix, RowListView rows) {
  const DeviceArray<Offset> ends(2);
  for_each_item(1, [=, ends = ends.data()] __device__(std::int64_t) {
    const RowEntries row = entries_of(matrix, rows, 0);
    ends[0] = row.begin;
    ends[1] = row.end;
  });
  return ends.to_host();
}

template <class Word>
__global__ void gather(const LocalIndex* indices, LocalIndex count, const Word* x, Word* ordered) {
  const std::int64_t e = thread_index();
  if (e < count) ordered[e] = x[indices[e]];
}

}  // namespace

DenseBlock::DenseBlock(const CsrView& matrix, RowListView rows, Layout layout, const Spec& options)
    : layout_(layout), vector_bytes_(vector_value_bytes(matrix.precision)) {
  if (rows.count == 0) return;
  const std::vector<Offset> ends = ends_of_first_row(matrix, rows);
  columns_ = static_cast<LocalIndex>(ends[1] - ends[0]);

  const Findings findings = compare_rows(matrix, rows, ends[0], columns_);
  if (findings.other_row < matrix.rows) {
    options.fail("a dense format takes rows that all hold the same columns, but row " +
                 std::to_string(findings.other_row) +
                 " of the rank differs from its first; use csr-vector");
  }

  const auto bytes = static_cast<std::int64_t>(matrix_value_bytes(matrix.precision));
  const std::int64_t aligned = alignment_bytes / bytes;
  const std::int64_t line = layout == Layout::rows ? columns_ : rows.count;
  leading_ = (line + aligned - 1) / aligned * aligned;
  value_bytes_ = std::int64_t{rows.count} * columns_ * bytes;
  const std::int64_t lines = layout == Layout::rows ? rows.count : columns_;
  values_ = DeviceMemory(leading_ * lines * bytes);
  refill(matrix, rows, {});
  if (findings.in_order == 0) {
    indices_ = DeviceArray<LocalIndex>(columns_);
    copy_now(indices_.data(), matrix.indices + ends[0], static_cast<std::size_t>(indices_.bytes()));
    gathered_ = DeviceMemory(columns_ * vector_bytes_);
  }
  synchronize_device();
}

void DenseBlock::refill(const CsrView& matrix, RowListView rows, Stream stream) {
  const bool by_rows = layout_ == Layout::rows;
  copy_dense_entries(matrix, rows, by_rows ? leading_ : 1, by_rows ? 1 : leading_, values_.data(),
                     stream);
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

// SPDX-License-Identifier: BSD-3-Clause
//
// The product of rows whose first `width` entries stand in an ELLPACK block and the others in a
// list of coordinates: hyb, and its two ends ell (all entries in the block) and coo (all in the
// list). Bell, Garland: Implementing sparse matrix-vector multiplication on throughput-oriented
// processors, SC 2009.
// The block is column-major within chunks of 256 rows: the k-th entries of the rows of a chunk
// stand side by side, padding (index -1, value 0) where a row has ended. (Column-major over all
// rows, as GPUs want it, is as many streams as columns, too many for the prefetchers of a CPU:
// measured, half the speed.) The list holds (row, column, value), ordered by row.
//   for each chunk: sums = +0
//     for k < width, for each row i of the chunk: sums[i] = fma(value, x[column], sums[i])
//     for each entry of the chunk's list:         sums[row] = fma(value, x[column], sums[row])
// The sums of a chunk stay in the first-level cache. A row is summed in stored order and belongs to
// one thread: the bits of csr, and no atomics.
#pragma once

#include <omp.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/isa.hpp"
#include "kernels/cpu/lanes.hpp"
#include "kernels/cpu/make_typed.hpp"
#include "kernels/cpu/parts.hpp"
#include "kernels/product_arguments.hpp"
#include "kernels/work.hpp"

namespace rowhalo {

template <class T>
struct HybBody {
  static constexpr LocalIndex chunk_rows = 256;

  struct Arguments : ProductArguments<T> {
    RowListView rows;
    LocalIndex width;
    const LocalIndex* full;  ///< per chunk: columns of the block without padding
    const LocalIndex* block_indices;
    const T* block_values;
    const Offset* begins;         ///< per chunk: its first entry in the list
    const LocalIndex* list_rows;  ///< positions in `rows`
    const LocalIndex* list_columns;
    const T* list_values;
  };

  /// The list's entries of one chunk; a row's entries are summed in a register.
  [[gnu::always_inline]] static void add_list(const Arguments& a, std::int64_t chunk, T* sums) {
    const LocalIndex first = static_cast<LocalIndex>(chunk * chunk_rows);
    const Offset end = a.begins[chunk + 1];
    for (Offset e = a.begins[chunk]; e < end;) {
      const LocalIndex row = a.list_rows[e];
      T sum = sums[row - first];
      do {
        sum = fused_multiply_add(a.list_values[e], a.x[a.list_columns[e]], sum);
        ++e;
      } while (e < end && a.list_rows[e] == row);
      sums[row - first] = sum;
    }
  }

  /// Chunks [begin, end).
  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const Arguments a = arguments;  // a copy that y cannot alias
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      const auto first = static_cast<LocalIndex>(chunk * chunk_rows);
      const LocalIndex lanes = std::min(chunk_rows, a.rows.count - first);
      alignas(64) T sums[chunk_rows] = {};
      Offset slot = Offset{first} * a.width;
      LocalIndex k = 0;
      for (; k < a.full[chunk]; ++k, slot += lanes) {
        add_gathered_lanes<Slots::entries, vector_bytes>(a.block_values + slot,
                                                         a.block_indices + slot, a.x, sums, lanes);
      }
      for (; k < a.width; ++k, slot += lanes) {
        add_gathered_lanes<Slots::may_be_empty, vector_bytes>(
            a.block_values + slot, a.block_indices + slot, a.x, sums, lanes);
      }
      add_list(a, chunk, sums);
      for (LocalIndex l = 0; l < lanes; ++l) {
        finish_row(a.alpha, sums[l], a.beta, a.y[a.rows[first + l]]);
      }
    }
  }
};

/// Entries of the row at each position of the list.
inline std::vector<LocalIndex> row_lengths(const CsrView& matrix, RowListView rows) {
  std::vector<LocalIndex> lengths(static_cast<std::size_t>(rows.count));
#pragma omp parallel for schedule(static)
  for (LocalIndex k = 0; k < rows.count; ++k) {
    const LocalIndex row = rows[k];
    lengths[k] = static_cast<LocalIndex>(matrix.offsets[row + 1] - matrix.offsets[row]);
  }
  return lengths;
}

template <class T>
class HybKernel final : public SpmvKernel {
 public:
  /// `start`: when the set-up began. `lengths`: what row_lengths() gives.
  HybKernel(const CsrView& matrix, RowListView rows, LocalIndex width,
            const std::vector<LocalIndex>& lengths, Isa isa, double start)
      : csr_(matrix), rows_(rows), width_(width), run_(for_isa<HybBody<T>>(isa)) {
    chunks_ = (std::int64_t{rows.count} + chunk_rows - 1) / chunk_rows;
    cut_chunks(lengths);
    bounds_ = balanced_split(chunks_, parts_for(chunks_), [&](std::int64_t chunk) {
      const std::int64_t rows_before = std::min<std::int64_t>(chunk * chunk_rows, rows_.count);
      return begins_[chunk] + rows_before * (width_ + row_cost);
    });
    fill(lengths);
    setup_seconds_ = omp_get_wtime() - start;
  }

  KernelWork work() const override {
    const std::int64_t held = full_.bytes() + block_indices_.bytes() + block_values_.bytes() +
                              begins_.bytes() + list_rows_.bytes() + list_columns_.bytes() +
                              list_values_.bytes();
    const std::int64_t stored = std::int64_t{width_} * rows_.count + begins_[chunks_];
    KernelWork work = work_of(csr_, rows_, stored, held + row_list_bytes(rows_));
    work.footprint_bytes = held + static_cast<std::int64_t>(bounds_.size() * sizeof(bounds_[0]));
    work.setup_seconds = setup_seconds_;
    return work;
  }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    const typename HybBody<T>::Arguments arguments{product,
                                                   rows_,
                                                   width_,
                                                   full_.data(),
                                                   block_indices_.data(),
                                                   block_values_.data(),
                                                   begins_.data(),
                                                   list_rows_.data(),
                                                   list_columns_.data(),
                                                   list_values_.data()};
    for_each_part(bounds_,
                  [&](std::int64_t begin, std::int64_t end) { run_(arguments, begin, end); });
  }

  static constexpr LocalIndex chunk_rows = HybBody<T>::chunk_rows;

  LocalIndex first_row(std::int64_t chunk) const {
    return static_cast<LocalIndex>(std::min<std::int64_t>(chunk * chunk_rows, rows_.count));
  }

  /// Full columns of each chunk, and where its entries stand in the list.
  void cut_chunks(const std::vector<LocalIndex>& lengths) {
    full_ = Buffer<LocalIndex>(chunks_);
    begins_ = Buffer<Offset>(chunks_ + 1);
    begins_[0] = 0;
#pragma omp parallel for schedule(static)
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) {
      full_[chunk] = width_;
      begins_[chunk + 1] = 0;
      for (LocalIndex k = first_row(chunk); k < first_row(chunk + 1); ++k) {
        full_[chunk] = std::min(full_[chunk], lengths[k]);
        begins_[chunk + 1] += std::max(lengths[k] - width_, 0);
      }
    }
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) begins_[chunk + 1] += begins_[chunk];
  }

  /// Copies the entries to their places; each thread touches first what it will read.
  void fill(const std::vector<LocalIndex>& lengths) {
    block_indices_ = Buffer<LocalIndex>(std::int64_t{width_} * rows_.count);
    block_values_ = Buffer<T>(std::int64_t{width_} * rows_.count);
    list_rows_ = Buffer<LocalIndex>(begins_[chunks_]);
    list_columns_ = Buffer<LocalIndex>(begins_[chunks_]);
    list_values_ = Buffer<T>(begins_[chunks_]);
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t chunk = begin; chunk < end; ++chunk) {
        fill_block(chunk, lengths);
        fill_list(chunk, lengths);
      }
    });
  }

  void fill_block(std::int64_t chunk, const std::vector<LocalIndex>& lengths) {
    const auto* values = static_cast<const T*>(csr_.values);
    Offset slot = Offset{first_row(chunk)} * width_;
    for (LocalIndex k = 0; k < width_; ++k) {
      for (LocalIndex i = first_row(chunk); i < first_row(chunk + 1); ++i, ++slot) {
        const Offset entry = csr_.offsets[rows_[i]] + k;
        block_indices_[slot] = k < lengths[i] ? csr_.indices[entry] : padding;
        block_values_[slot] = k < lengths[i] ? values[entry] : T{};
      }
    }
  }

  void fill_list(std::int64_t chunk, const std::vector<LocalIndex>& lengths) {
    const auto* values = static_cast<const T*>(csr_.values);
    Offset slot = begins_[chunk];
    for (LocalIndex i = first_row(chunk); i < first_row(chunk + 1); ++i) {
      const Offset row_begin = csr_.offsets[rows_[i]];
      for (LocalIndex k = width_; k < lengths[i]; ++k, ++slot) {
        list_rows_[slot] = i;
        list_columns_[slot] = csr_.indices[row_begin + k];
        list_values_[slot] = values[row_begin + k];
      }
    }
  }

  CsrView csr_;
  RowListView rows_;
  LocalIndex width_;
  RangeFunction<HybBody<T>> run_;
  std::int64_t chunks_ = 0;
  Buffer<LocalIndex> full_, block_indices_, list_rows_, list_columns_;
  Buffer<Offset> begins_;
  Buffer<T> block_values_, list_values_;
  std::vector<std::int64_t> bounds_;
  double setup_seconds_ = 0;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// jds: jagged diagonals (Saad: Krylov subspace methods on supercomputers, SIAM J. Sci. Stat.
// Comput. 10, 1989). Rows are sorted by falling length; diagonal k holds the k-th entry of every
// row that has one, side by side, without padding.
//   for each chunk of 256 rows in sorted order: sums = +0
//     for each diagonal k, for each row i of the chunk longer than k:
//       sums[i] = fma(value, x[column], sums[i])
// A row is summed in stored order with one accumulator: the bits of csr. y is written to its
// natural rows. The sort takes neighbouring rows apart, and with them the lines of x that they
// share; and a product reads as many streams as diagonals, more than a CPU prefetches. sell, which
// cuts the rows into sections, has neither fault.
//
// Bytes of the matrix: n (v + 4) + 8 (L + 1) + 4 m, with L the longest row.

#include "kernels/cpu/cpu_format.hpp"
#include "kernels/cpu/lanes.hpp"
#include "kernels/cpu/sliced_rows.hpp"
#include "kernels/formats.hpp"

namespace rowhalo {
namespace {

constexpr LocalIndex chunk_rows = 256;

template <class T>
struct JdsBody {
  struct Arguments : ProductArguments<T> {
    LocalIndex diagonals;
    const Offset* begins;    ///< first entry of each diagonal, and the end
    const LocalIndex* rows;  ///< in sorted order
    const LocalIndex* indices;
    const T* values;
  };

  /// Positions [begin, end) of the sorted rows.
  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const Arguments a = arguments;  // a copy that y cannot alias
    for (std::int64_t first = begin; first < end; first += chunk_rows) {
      const std::int64_t lanes = std::min<std::int64_t>(chunk_rows, end - first);
      alignas(64) T sums[chunk_rows] = {};
      for (LocalIndex k = 0; k < a.diagonals; ++k) {
        const Offset longer = a.begins[k + 1] - a.begins[k];  // rows with more than k entries
        if (longer <= first) break;
        const Offset entry = a.begins[k] + first;
        add_gathered_lanes<Slots::entries, vector_bytes>(
            a.values + entry, a.indices + entry, a.x, sums,
            static_cast<LocalIndex>(std::min(lanes, longer - first)));
      }
      for (std::int64_t l = 0; l < lanes; ++l) {
        finish_row(a.alpha, sums[l], a.beta, a.y[a.rows[first + l]]);
      }
    }
  }
};

template <class T>
class JdsKernel final : public CpuFormat {
 public:
  JdsKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : CpuFormat(matrix, rows), run_(for_isa<JdsBody<T>>(chosen_isa(options))) {
    sort_rows();
    std::vector<std::int64_t> cost(static_cast<std::size_t>(rows.count) + 1, 0);
    for (LocalIndex k = 0; k < rows.count; ++k) {
      cost[k + 1] = cost[k] + length(sorted_[k]) + row_cost;
    }
    cut_parts(rows.count, [&](std::int64_t k) { return cost[k]; });
    fill();
  }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    run_parts(run_,
              typename JdsBody<T>::Arguments{product, diagonals_, begins_.data(), sorted_.data(),
                                             indices_.data(), values_.data()});
  }

  std::int64_t stored_entries() const override { return begins_[diagonals_]; }
  std::int64_t held_bytes() const override {
    return begins_.bytes() + sorted_.bytes() + indices_.bytes() + values_.bytes();
  }
  std::int64_t matrix_bytes(const RowCounts&) const override { return held_bytes(); }

  LocalIndex length(LocalIndex row) const {
    return static_cast<LocalIndex>(csr_.offsets[row + 1] - csr_.offsets[row]);
  }

  /// The rows by falling length; where their diagonals begin: a row ends those that the next one
  /// does not have.
  void sort_rows() {
    const LocalIndex count = rows_.count;
    const std::vector<LocalIndex> order = sorted_positions(csr_, rows_, count + std::int64_t{1});
    sorted_ = Buffer<LocalIndex>(count);
    for (LocalIndex k = 0; k < count; ++k) sorted_[k] = rows_[order[k]];
    const auto length_at = [&](LocalIndex k) { return k < count ? length(sorted_[k]) : 0; };
    diagonals_ = length_at(0);
    begins_ = Buffer<Offset>(std::int64_t{diagonals_} + 1);
    begins_[0] = 0;
    for (LocalIndex k = count - 1, d = 0; k >= 0; --k) {
      for (; d < length_at(k); ++d) begins_[d + 1] = begins_[d] + k + 1;
    }
  }

  /// Copies the entries to their diagonals; each thread touches first what it will read.
  void fill() {
    indices_ = Buffer<LocalIndex>(begins_[diagonals_]);
    values_ = Buffer<T>(begins_[diagonals_]);
    const auto* values = static_cast<const T*>(csr_.values);
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t first = begin; first < end; first += chunk_rows) {
        const std::int64_t last = std::min<std::int64_t>(first + chunk_rows, end);
        for (LocalIndex k = 0; k < diagonals_; ++k) {
          const Offset longer = begins_[k + 1] - begins_[k];
          if (longer <= first) break;
          for (std::int64_t i = first; i < std::min(last, longer); ++i) {
            const Offset entry = csr_.offsets[sorted_[i]] + k;
            indices_[begins_[k] + i] = csr_.indices[entry];
            values_[begins_[k] + i] = values[entry];
          }
        }
      }
    });
  }

  RangeFunction<JdsBody<T>> run_;
  LocalIndex diagonals_ = 0;
  Buffer<Offset> begins_;
  Buffer<LocalIndex> sorted_, indices_;  ///< sorted_: the rows by falling length
  Buffer<T> values_;
};

}  // namespace

const FormatParts jds_format{make_cpu_format<JdsKernel>, {"simd"}};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// vbl: compressed sparse rows with one index for up to 8 consecutive columns, a run (1D-VBL,
// variable block length: Pinar, Heath: Improving performance of sparse matrix-vector
// multiplication, SC 1999). An index holds the first column and, in its last 3 bits, the length
// less one. Values stay where they are; where rows are listed they are copied in the order of the
// list, since those of other rows lie between them: web:rows=500000 on 2 ranks took 9.7 ms with
// interior rows and then boundary rows in place, and 5.4 ms with all rows at once.
//   for each run of row i, l < length: sums[l] = fma(value, x[column + l], sums[l])
//   y_i from ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
// With AVX-512 a run is two loads and one fma under a mask; elsewhere a loop. The bits do not
// depend on it; they are not those of csr. x is prefetched 32 runs ahead. For links between web
// pages, which come in runs although rows are not alike.
//
// Bytes of the matrix: n v + 4 R + 8 (m + 1) + rows, with R runs.

#include <numeric>

#include "kernels/cpu/avx512.hpp"
#include "kernels/cpu/cpu_format.hpp"

namespace rowhalo {
namespace {

constexpr int length_bits = 3, longest_run = 1 << length_bits;
constexpr std::int64_t most_columns = std::int64_t{1} << (32 - length_bits);
/// How many runs ahead of the multiplication x is prefetched; so many indices follow the last.
constexpr std::int64_t runs_ahead = 32;

template <class T>
struct VblArguments : ProductArguments<T> {
  RowListView rows;
  const T* values;       ///< of the first row that is to be multiplied
  const Offset* begins;  ///< per listed row, and one more: its first run
  const std::uint32_t* runs;
};

template <class T>
struct VblBody {
  using Arguments = VblArguments<T>;

  template <int vector_bytes>
  [[gnu::always_inline]] static void add_run(const T* values, const T* x, int length, T* sums) {
#if defined(__x86_64__)
    if constexpr (vector_bytes == 64) return avx512::add_run(values, x, length, sums);
#endif
    for (int l = 0; l < length; ++l) sums[l] = fused_multiply_add(values[l], x[l], sums[l]);
  }

  /// `values`: of the first run, then behind the last.
  template <int vector_bytes>
  [[gnu::always_inline]] static T sum_of_runs(const Arguments& a, Offset begin, Offset end,
                                              const T*& values) {
    using Sums [[gnu::vector_size(longest_run * sizeof(T))]] = T;
    Sums sums{};
    for (const std::uint32_t *run = a.runs + begin, *last = a.runs + end; run < last; ++run) {
      constexpr int read = 0, into_l1 = 3;
      __builtin_prefetch(a.x + (run[runs_ahead] >> length_bits), read, into_l1);
      const int length = 1 + static_cast<int>(*run % longest_run);
      add_run<vector_bytes>(values, a.x + (*run >> length_bits), length,
                            reinterpret_cast<T*>(&sums));
      values += length;
    }
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  }

  /// Positions [begin, end) of the row list.
  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const Arguments a = arguments;  // a copy that y cannot alias
    const T* values = a.values;
    for (std::int64_t k = begin; k < end; ++k) {
      const T sum = sum_of_runs<vector_bytes>(a, a.begins[k], a.begins[k + 1], values);
      finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
    }
  }
};

/// Calls run(column, length) for each run of a row.
template <class Run>
void visit_runs(const CsrView& matrix, LocalIndex row, const Run& run) {
  const Offset end = matrix.offsets[row + 1];
  for (Offset first = matrix.offsets[row]; first < end;) {
    Offset next = first + 1;
    while (next < end && next - first < longest_run &&
           matrix.indices[next] == matrix.indices[next - 1] + 1) {
      ++next;
    }
    run(matrix.indices[first], static_cast<int>(next - first));
    first = next;
  }
}

template <class T>
class VblKernel final : public CpuFormat {
 public:
  VblKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : CpuFormat(matrix, rows) {
    if (matrix.columns > most_columns) {
      options.fail(
          fmt::format("{} columns are more than the {} that its indices reach; use csr-omp",
                      matrix.columns, most_columns));
    }
    run_ = for_isa<VblBody<T>>(chosen_isa(options));
    count_runs();
    cut_parts(rows.count, [&](std::int64_t k) { return begins_[k] + row_cost * k; });
    fill();
  }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    const ProductArguments<T> arguments(product);
    for_each_numbered_part(bounds_, [&](int part, std::int64_t begin, std::int64_t end) {
      run_({arguments, rows_, part_values_[part], begins_.data(), runs_.data()}, begin, end);
    });
  }
  void refill(Stream) override {
    if (rows_.groups != nullptr) copy_values();
  }

  Offset runs() const { return begins_[rows_.count]; }
  std::int64_t stored_entries() const override { return listed_nonzeros(csr_, rows_); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return counts.listed_nonzeros * std::int64_t{sizeof(T)} +
           runs() * std::int64_t{sizeof(runs_[0])} + begins_.bytes() + counts.row_list_bytes;
  }
  std::int64_t held_bytes() const override {
    return begins_.bytes() + runs_.bytes() + values_.bytes() +
           std::ssize(part_values_) * std::int64_t{sizeof(const T*)};
  }
  std::string parameters() const override {
    if (runs() == 0) return "";
    return fmt::format("{:.2f} entries per index",
                       static_cast<double>(stored_entries()) / static_cast<double>(runs()));
  }

  void count_runs() {
    begins_ = Buffer<Offset>(std::int64_t{rows_.count} + 1);
    begins_[0] = 0;
#pragma omp parallel for schedule(static)
    for (LocalIndex k = 0; k < rows_.count; ++k) {
      Offset runs = 0;
      visit_runs(csr_, rows_[k], [&](LocalIndex, int) { ++runs; });
      begins_[k + 1] = runs;
    }
    for (LocalIndex k = 0; k < rows_.count; ++k) begins_[k + 1] += begins_[k];
  }

  /// Each thread touches first what it will read.
  void fill() {
    runs_ = Buffer<std::uint32_t>(runs() + runs_ahead);
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      std::uint32_t* next = runs_.data() + begins_[begin];
      for (std::int64_t k = begin; k < end; ++k) {
        visit_runs(csr_, rows_[static_cast<LocalIndex>(k)], [&](LocalIndex column, int length) {
          *next++ = (static_cast<std::uint32_t>(column) << length_bits) |
                    static_cast<std::uint32_t>(length - 1);
        });
      }
    });
    std::fill_n(runs_.data() + runs(), runs_ahead, 0U);
    if (rows_.groups == nullptr) {
      for (std::size_t part = 0; part + 1 < bounds_.size(); ++part) {
        part_values_.push_back(static_cast<const T*>(csr_.values) + csr_.offsets[bounds_[part]]);
      }
    } else {
      place_values();
      copy_values();
    }
  }

  /// values(first, count) for the listed rows [begin, end).
  template <class Values>
  void visit_rows(std::int64_t begin, std::int64_t end, const Values& values) const {
    for (std::int64_t k = begin; k < end; ++k) {
      const LocalIndex row = rows_[static_cast<LocalIndex>(k)];
      values(static_cast<const T*>(csr_.values) + csr_.offsets[row],
             csr_.offsets[row + 1] - csr_.offsets[row]);
    }
  }

  void place_values() {
    std::vector<Offset> firsts(bounds_.size(), 0);
    for_each_numbered_part(bounds_, [&](int part, std::int64_t begin, std::int64_t end) {
      visit_rows(begin, end, [&](const T*, Offset count) { firsts[part + 1] += count; });
    });
    std::partial_sum(firsts.begin(), firsts.end(), firsts.begin());
    values_ = Buffer<T>(firsts.back());
    for (std::size_t part = 0; part + 1 < bounds_.size(); ++part) {
      part_values_.push_back(values_.data() + firsts[part]);
    }
  }

  void copy_values() {
    for_each_numbered_part(bounds_, [&](int part, std::int64_t begin, std::int64_t end) {
      T* next = values_.data() + (part_values_[part] - values_.data());
      visit_rows(begin, end,
                 [&](const T* values, Offset count) { next = std::copy_n(values, count, next); });
    });
  }

  Buffer<Offset> begins_;
  Buffer<std::uint32_t> runs_;
  Buffer<T> values_;                   ///< where rows are listed
  std::vector<const T*> part_values_;  ///< of the first row of each part
  RangeFunction<VblBody<T>> run_ = nullptr;
};

}  // namespace

const FormatParts vbl_format{
    make_cpu_format<VblKernel>, {"simd"}, [](const LocalStatistics& s) {
      // A run of l columns touches (l + w - 1) / w sectors of w entries on average; where
      // neighbouring rows share sectors it seems longer than it is, and where x is small nobody has
      // looked.
      const double w = 32.0 / static_cast<double>(vector_value_bytes(s.precision));
      const double beyond = w * s.touched_sectors - 1;
      const double run =
          beyond <= 0 ? longest_run : std::clamp((w - 1) / beyond, 1.0, double{longest_run});
      return Prediction{.bytes = (cost::value_bytes(s) + 4 / run) * cost::nonzeros(s) +
                                 8.0 * s.rows + cost::y_bytes(s)};
    }};

}  // namespace rowhalo

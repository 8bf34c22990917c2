// SPDX-License-Identifier: BSD-3-Clause
//
// The product over CSR rows, for csr (one part) and csr-omp (a part per thread):
//   for each listed row i of the part:
//     s = +0; for e in [offsets[i], offsets[i + 1]): s = fma(values[e], x[indices[e]], s)
//     y_i = beta == 0 ? alpha * s : fma(alpha, s, beta * y_i)
// Uses the arrays of the CsrView as they are; csr-omp may keep its values in fewer bytes beside
// them (coded_values.hpp), which changes no bit. A row is one chain of dependent fma's;
// out-of-order execution overlaps the chains of neighbouring rows where rows are short. Where the
// columns of neighbouring rows are far apart, x is prefetched 128 entries ahead. Time with prefetch
// 64 ahead over time without, by sectors of x per entry (2 threads of a virtual machine):
// web:rows=2000000 0.70 (0.38 sectors), web:rows=500000 0.81 (0.40), rmat:scale=18 0.91 (0.39),
// road 1.00 (0.30), arrow 1.14 (0.25), stencils 1.05 to 1.35 (0.11 to 0.18). 128 ahead over 64, 2
// vectors x in turn: web:rows=500000 0.88, random 0.88, rmat:scale=18 1.00 and scrambled 0.95; 256
// ahead: as 128.
//
// Bytes of the matrix (csr): n (v + 4) + 8 (m + 1) + rows.
//
// Bytes of the matrix (csr-omp): n (v + 4) + 8 (m + 1) + rows; coded n (1 + 4) and v per distinct
// value, n (2 + 4) or n (4 + 4), in place of n (v + 4).
#pragma once

#include <omp.h>

#include <memory>
#include <utility>
#include <vector>

#include "kernels/bits.hpp"
#include "kernels/cpu/coded_values.hpp"
#include "kernels/cpu/isa.hpp"
#include "kernels/cpu/make_typed.hpp"
#include "kernels/cpu/parts.hpp"
#include "kernels/fixed_point.hpp"
#include "kernels/local_statistics.hpp"
#include "kernels/options.hpp"
#include "kernels/product_arguments.hpp"
#include "kernels/spmv_kernel.hpp"
#include "kernels/work.hpp"

namespace rowhalo {

template <class T>
struct CsrCpuArguments : ProductArguments<T> {
  const Offset* offsets;
  const LocalIndex* indices;
  const void* values;       ///< what the body takes them for
  const T* distinct;        ///< for a body that takes them for positions here
  FixedPointCode<T> fixed;  ///< for one that takes them for these codes
  RowListView rows;
  Offset nonzeros;
  bool scattered;  ///< x does not stay in L2, and neighbouring rows do not share most of it
};

/// Stored: the type of `values`; std::uint8_t is a position among the distinct ones, std::uint16_t
/// a code of `fixed`.
template <class T, class Stored>
struct CsrBody {
  using Arguments = CsrCpuArguments<T>;

  [[gnu::always_inline]] static T value(const Arguments& a, Offset entry) {
    const Stored stored = static_cast<const Stored*>(a.values)[entry];
    if constexpr (std::is_same_v<Stored, std::uint8_t>) {
      return a.distinct[stored];
    } else if constexpr (std::is_same_v<Stored, std::uint16_t>) {
      return a.fixed.value(stored);
    } else {
      return static_cast<T>(stored);
    }
  }

  /// How many entries ahead of the multiplication x is prefetched.
  static constexpr Offset entries_ahead = 128;

  template <bool prefetch>
  [[gnu::always_inline]] static void multiply_row(const Arguments& a, LocalIndex row) {
    T sum = 0;
    const Offset end = a.offsets[row + 1];
    for (Offset e = a.offsets[row]; e < end; ++e) {
      constexpr int read = 0, into_l2 = 2;
      if constexpr (prefetch) {
        __builtin_prefetch(a.x + a.indices[e + entries_ahead], read, into_l2);
      }
      sum = fused_multiply_add(value(a, e), a.x[a.indices[e]], sum);
    }
    finish_row(a.alpha, sum, a.beta, a.y[row]);
  }

  [[gnu::always_inline]] static void multiply(const Arguments& a, LocalIndex row) {
    if (a.scattered && a.offsets[row + 1] + entries_ahead <= a.nonzeros) {
      multiply_row<true>(a, row);
    } else {
      multiply_row<false>(a, row);
    }
  }

  /// Positions [begin, end) of the row list.
  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const Arguments a = arguments;  // a copy that y cannot alias
    const auto first = static_cast<LocalIndex>(begin), last = static_cast<LocalIndex>(end);
    if (a.rows.groups == nullptr) {
      for (LocalIndex row = first; row < last; ++row) multiply(a, row);
    } else {
      for (LocalIndex k = first; k < last; ++k) multiply(a, a.rows[k]);
    }
  }
};

template <class T>
class CsrKernel final : public SpmvKernel {
 public:
  CsrKernel(const CsrView& matrix, RowListView rows, const Spec& options, int parts, bool codes)
      : matrix_(matrix), rows_(rows), values_(matrix) {
    const double start = omp_get_wtime();
    bounds_ = split(parts);
    if (codes) values_ = CodedValues<T>(matrix, rows, bounds_, options);
    const Isa isa = chosen_isa(options);
    run_ = values_.are_positions() ? for_isa<CsrBody<T, std::uint8_t>>(isa)
           : values_.are_fixed()   ? for_isa<CsrBody<T, std::uint16_t>>(isa)
           : values_.are_singles() ? for_isa<CsrBody<T, float>>(isa)
                                   : for_isa<CsrBody<T, T>>(isa);
    constexpr double many_sectors = 0.33;  // per entry; see the top of the file
    const std::int64_t x_bytes = std::int64_t{matrix.columns} * std::int64_t{sizeof(T)};
    scattered_ = x_bytes > l2_bytes && touched_sectors(matrix) > many_sectors;
    setup_seconds_ = omp_get_wtime() - start;
  }

  std::optional<std::int64_t> dot_parts() const override {
    if (!std::is_same_v<T, double>) return {};
    return std::ssize(bounds_) - 1;
  }

  KernelWork work() const override {
    const Offset nonzeros = listed_nonzeros(matrix_, rows_);
    KernelWork work = work_of(matrix_, rows_, nonzeros,
                              nonzeros * (values_.bytes_each() + std::int64_t{sizeof(LocalIndex)}) +
                                  offsets_read(rows_) * static_cast<std::int64_t>(sizeof(Offset)) +
                                  row_list_bytes(rows_) + values_.table_bytes());
    work.footprint_bytes =
        static_cast<std::int64_t>(bounds_.size() * sizeof(bounds_[0])) + values_.footprint_bytes();
    work.setup_seconds = setup_seconds_;
    work.parameters = values_.text();
    return work;
  }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    const CsrCpuArguments<T> arguments = arguments_of(product);
    const auto rows = [&](std::int64_t begin, std::int64_t end) { run_(arguments, begin, end); };
    if (product.dot_parts == nullptr) return for_each_part(bounds_, rows);
    if constexpr (std::is_same_v<T, double>) {
      for_each_part_with_dot(
          bounds_, rows_of_piece, product.dot_parts, rows,
          [&](std::int64_t begin, std::int64_t end) {
            return dot_of_rows(
                static_cast<LocalIndex>(end - begin), arguments.x, arguments.y,
                [&](LocalIndex k) { return rows_[static_cast<LocalIndex>(begin) + k]; });
          });
    }
  }

  CsrCpuArguments<T> arguments_of(const LocalProduct& product) const {
    return {product,        matrix_.offsets,    matrix_.indices,
            values_.data(), values_.distinct(), values_.fixed_code(),
            rows_,          matrix_.nonzeros,   scattered_};
  }

  std::vector<std::int64_t> split(int parts) const {
    if (parts == 1) return {0, rows_.count};
    if (rows_.groups == nullptr) {
      return balanced_split(rows_.count, parts, [&](std::int64_t row) {
        return matrix_.offsets[row] + row_cost * row;
      });
    }
    std::vector<std::int64_t> cost(static_cast<std::size_t>(rows_.count) + 1, 0);
    for (LocalIndex k = 0; k < rows_.count; ++k) {
      const LocalIndex row = rows_[k];
      cost[k + 1] = cost[k] + matrix_.offsets[row + 1] - matrix_.offsets[row] + row_cost;
    }
    return balanced_split(rows_.count, parts, [&](std::int64_t k) { return cost[k]; });
  }

  CsrView matrix_;
  RowListView rows_;
  CodedValues<T> values_;
  RangeFunction<CsrBody<T, T>> run_ = nullptr;
  std::vector<std::int64_t> bounds_;
  bool scattered_ = false;
  double setup_seconds_ = 0;
};

/// The kernel in the precision of `matrix`, its rows cut into `parts`; `codes`: with codes=.
inline std::unique_ptr<SpmvKernel> make_csr_kernel(const CsrView& matrix, RowListView rows,
                                                   const Spec& options, int parts, bool codes) {
  if (codes) {
    check_format_options(options, {"simd", "codes"});
  } else {
    check_format_options(options, {"simd"});
  }
  return make_typed<CsrKernel>(matrix, rows, options, parts, codes);
}

}  // namespace rowhalo

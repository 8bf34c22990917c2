// SPDX-License-Identifier: BSD-3-Clause
//
// csr: one row after the other on one thread, straight from the CSR arrays: the loop that defines
// the bits, and the baseline of every other CPU format; csr-omp: the same on all threads of the
// rank, each with one contiguous range of rows and an even share of the nonzeros, cut once:
//   for each listed row i of the part:
//     s = +0; for e in [offsets[i], offsets[i + 1]): s = fma(values[e], x[indices[e]], s)
//     y_i = beta == 0 ? alpha * s : fma(alpha, s, beta * y_i)
// Uses the arrays of the CsrView as they are; csr-omp keeps values of at most 256 kinds, or exact
// in 16 bits or in fp32, in 1, 2 or 4 bytes beside them (coded_values.hpp; codes=on: in small
// matrices, too; codes=off: none), which changes no bit. A row is one chain of dependent fma's;
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
#include "kernels/cpu/coded_values.hpp"
#include "kernels/cpu/cpu_format.hpp"
#include "kernels/cpu/several_csr.hpp"

namespace rowhalo {
namespace {

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

/// Several vectors.
template <class T>
struct CsrSeveralArguments : SeveralArguments<T> {
  CsrCpuArguments<T> csr;
  std::size_t stored_bytes;  ///< of a value
};

enum class Coding { none, any };

template <class T, Coding coding>
struct CsrSeveral {
  using Value = T;
  using Arguments = CsrSeveralArguments<T>;
  struct Entries : CsrCpuArguments<T> {
    std::size_t stored_bytes;
    [[gnu::always_inline]] T value(Offset entry) const {
      if constexpr (coding == Coding::any) {
        if (stored_bytes == 1) return CsrBody<T, std::uint8_t>::value(*this, entry);
        if (stored_bytes == 2) return CsrBody<T, std::uint16_t>::value(*this, entry);
        if (stored_bytes == 4) return CsrBody<T, float>::value(*this, entry);
      }
      return CsrBody<T, T>::value(*this, entry);
    }
  };

  template <class Sums>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const SeveralArguments<T> a = arguments;
    const Entries entries{arguments.csr, arguments.stored_bytes};
    const auto row = [&](std::int64_t k) __attribute__((always_inline)) {
      return entries.rows[static_cast<LocalIndex>(k)];
    };
    const auto work = [&](std::int64_t first, std::int64_t last, const RowsOfY<T>& y)
        __attribute__((always_inline)) {
      multiply_csr<Sums>(a, entries, first, last, y, row);
    };
    if (begin < end) for_consecutive_rows<T>(a, row(begin), begin, end, work);
  }
};

/// That multiply; all: values may be coded.
enum class Threads { one, all };

template <class T>
class CsrKernel final : public CpuFormat {
 public:
  CsrKernel(const CsrView& matrix, RowListView rows, const Spec& options, Threads threads)
      : CpuFormat(matrix, rows), values_(matrix) {
    bounds_ = split(threads == Threads::one ? 1 : parts_for(rows.count));
    if (threads == Threads::all) values_ = CodedValues<T>(matrix, rows, bounds_, options);
    const Isa isa = chosen_isa(options);
    const auto stored_bytes = values_.bytes_each();
    run_ = stored_bytes == sizeof(T)               ? for_isa<CsrBody<T, T>>(isa)
           : stored_bytes == sizeof(std::uint8_t)  ? for_isa<CsrBody<T, std::uint8_t>>(isa)
           : stored_bytes == sizeof(std::uint16_t) ? for_isa<CsrBody<T, std::uint16_t>>(isa)
                                                   : for_isa<CsrBody<T, float>>(isa);
    run_several_ = stored_bytes == sizeof(T)
                       ? for_isa<SeveralBody<CsrSeveral<T, Coding::none>>>(isa)
                       : for_isa<SeveralBody<CsrSeveral<T, Coding::any>>>(isa);
    constexpr double many_sectors = 0.33;  // per entry; see the top of the file
    const std::int64_t x_bytes = std::int64_t{matrix.columns} * std::int64_t{sizeof(T)};
    scattered_ = x_bytes > l2_bytes && touched_sectors(matrix) > many_sectors;
  }

  std::optional<std::int64_t> dot_parts() const override { return parts_of_dot<T>(); }
  bool takes_several() const override { return true; }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    run_parts_with_dot<T>(
        product, run_, arguments_of(product), rows_of_piece,
        [&](std::int64_t begin, std::int64_t end, const double* x, const double* y) {
          return dot_of_rows(static_cast<LocalIndex>(end - begin), x, y, [&](LocalIndex k) {
            return rows_[static_cast<LocalIndex>(begin) + k];
          });
        });
  }

  void multiply_several(const LocalProduct& product, Stream) const override {
    run_several_parts(run_several_, CsrSeveralArguments<T>{{product, streamable_rows()},
                                                           arguments_of(product),
                                                           values_.bytes_each()});
  }
  CsrCpuArguments<T> arguments_of(const LocalProduct& product) const {
    return {product,        csr_.offsets,       csr_.indices,
            values_.data(), values_.distinct(), values_.fixed_code(),
            rows_,          csr_.nonzeros,      scattered_};
  }

  std::int64_t stored_entries() const override { return listed_nonzeros(csr_, rows_); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return csr_matrix_bytes(counts, values_.bytes_each()) + values_.table_bytes();
  }
  std::int64_t held_bytes() const override { return values_.footprint_bytes(); }
  std::string parameters() const override { return values_.text(); }

  std::vector<std::int64_t> split(int parts) const {
    if (parts == 1) return {0, rows_.count};
    if (rows_.groups == nullptr) {
      return balanced_split(rows_.count, parts,
                            [&](std::int64_t row) { return csr_.offsets[row] + row_cost * row; });
    }
    std::vector<std::int64_t> cost(static_cast<std::size_t>(rows_.count) + 1, 0);
    for (LocalIndex k = 0; k < rows_.count; ++k) {
      const LocalIndex row = rows_[k];
      cost[k + 1] = cost[k] + csr_.offsets[row + 1] - csr_.offsets[row] + row_cost;
    }
    return balanced_split(rows_.count, parts, [&](std::int64_t k) { return cost[k]; });
  }

  CodedValues<T> values_;
  RangeFunction<CsrBody<T, T>> run_ = nullptr;
  RangeFunction<SeveralBody<CsrSeveral<T, Coding::none>>> run_several_ = nullptr;
  bool scattered_ = false;
};

}  // namespace

const FormatParts csr_format{make_cpu_format<CsrKernel, Threads::one>, {"simd"}};

const FormatParts csr_omp_format{
    make_cpu_format<CsrKernel, Threads::all>, {"simd", "codes"}, [](const LocalStatistics& s) {
      // Coding takes a few products at most; the flag has to be the same on all ranks.
      return Prediction{
          .bytes = cost::csr_bytes(s), .reads_csr = true, .saved_bytes = cost::saved_by_codes(s)};
    }};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// dense: every listed row with all columns, row-major, without indices: for matrices that are full,
// or nearly. Refuses where zeros would pad too much.
//   for each row i, for each column j: sums[j % 32] = fma(a_ij, x_j, sums[j % 32])
//   y_i from the sums, added in pairs
// 32 sums a row keep the vector units busy and make the bits independent of their width. Where the
// rows are not full, a bit per slot says which are entries; no x counts in the others.
//
// Bytes of the matrix: m k v + rows; where rows are not full, m k / 8 more.

#include <atomic>

#include "kernels/cpu/cpu_format.hpp"
#include "kernels/cpu/lanes.hpp"

namespace rowhalo {
namespace {

/// Strips of 32 columns in a row, the last one shorter.
constexpr std::int64_t strips_of(std::int64_t columns) {
  return (columns + strip_lanes - 1) / strip_lanes;
}

template <class T>
struct DenseBody {
  struct Arguments : ProductArguments<T> {
    RowListView rows;
    std::int64_t columns;
    const T* values;         ///< [row][column]
    const StripMask* masks;  ///< [row][strip], null where every slot holds an entry
  };

  template <Slots slots, int vector_bytes>
  [[gnu::always_inline]] static T row_sum(const Arguments& a, const T* values,
                                          const StripMask* masks) {
    StripSums<T, vector_bytes> strip;
    const std::int64_t whole = a.columns / strip_lanes;
    for (std::int64_t s = 0; s < whole; ++s) {
      strip.template add<slots>(values + s * strip_lanes, a.x + s * strip_lanes,
                                slots == Slots::entries ? whole_strip : masks[s]);
    }
    T sums[strip_lanes];
    strip.store(sums);
    for (std::int64_t j = whole * strip_lanes; j < a.columns; ++j) {
      const std::int64_t l = j - whole * strip_lanes;
      if (slots == Slots::may_be_empty && (masks[whole] >> l & 1) == 0) continue;
      sums[l] = fused_multiply_add(values[j], a.x[j], sums[l]);
    }
    for (LocalIndex half = strip_lanes / 2; half > 0; half /= 2) {
      for (LocalIndex l = 0; l < half; ++l) sums[l] += sums[l + half];
    }
    return sums[0];
  }

  /// Positions [begin, end) of the row list.
  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const Arguments a = arguments;  // a copy that y cannot alias
    for (std::int64_t k = begin; k < end; ++k) {
      const T* values = a.values + k * a.columns;
      const T sum = a.masks == nullptr ? row_sum<Slots::entries, vector_bytes>(a, values, nullptr)
                                       : row_sum<Slots::may_be_empty, vector_bytes>(
                                             a, values, a.masks + k * strips_of(a.columns));
      finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
    }
  }
};

template <class T>
class DenseKernel final : public CpuFormat {
 public:
  DenseKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : CpuFormat(matrix, rows), run_(for_isa<DenseBody<T>>(chosen_isa(options))) {
    slots_ = std::int64_t{rows.count} * matrix.columns;
    check_padding(options, {slots_, listed_nonzeros(matrix, rows), matrix},
                  fmt::format("{} rows of {} columns", rows.count, matrix.columns),
                  "use sell or csr-omp");
    cut_parts(rows.count, [](std::int64_t k) { return k; });
    fill();
  }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    run_parts(run_, typename DenseBody<T>::Arguments{product, rows_, csr_.columns, values_.data(),
                                                     full_ ? nullptr : masks_.data()});
  }
  void refill(Stream) override {
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) fill_values(k);
    });
  }

  std::int64_t stored_entries() const override { return slots_; }
  std::int64_t held_bytes() const override { return values_.bytes() + masks_.bytes(); }

  /// Copies the entries to their slots; each thread touches first what it will read.
  void fill() {
    values_ = Buffer<T>(slots_);
    masks_ = Buffer<StripMask>(rows_.count * strips_of(csr_.columns));
    std::atomic<std::int64_t> filled{0};
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      std::int64_t filled_here = 0;
      for (std::int64_t k = begin; k < end; ++k) {
        fill_values(k);
        StripMask* masks = masks_.data() + k * strips_of(csr_.columns);
        std::fill_n(masks, strips_of(csr_.columns), StripMask{0});
        const LocalIndex row = rows_[static_cast<LocalIndex>(k)];
        for (Offset e = csr_.offsets[row]; e < csr_.offsets[row + 1]; ++e) {
          const LocalIndex column = csr_.indices[e];
          masks[column / strip_lanes] |= StripMask{1} << column % strip_lanes;
        }
        for (std::int64_t s = 0; s < strips_of(csr_.columns); ++s) {
          filled_here += __builtin_popcount(masks[s]);
        }
      }
      filled += filled_here;
    });
    full_ = filled == slots_;
    if (full_) masks_ = {};
  }

  /// Row k of the list.
  void fill_values(std::int64_t k) {
    const auto* entries = static_cast<const T*>(csr_.values);
    T* values = values_.data() + k * csr_.columns;
    std::fill_n(values, csr_.columns, T{0});
    const LocalIndex row = rows_[static_cast<LocalIndex>(k)];
    for (Offset e = csr_.offsets[row]; e < csr_.offsets[row + 1]; ++e) {
      values[csr_.indices[e]] += entries[e];
    }
  }

  RangeFunction<DenseBody<T>> run_;
  std::int64_t slots_ = 0;
  bool full_ = false;
  Buffer<T> values_;
  Buffer<StripMask> masks_;
};

}  // namespace

const FormatParts dense_format{
    make_cpu_format<DenseKernel>, {"max_padding", "simd"}, [](const LocalStatistics& s) {
      return Prediction{cost::dense_bytes(s)};
    }};

}  // namespace rowhalo

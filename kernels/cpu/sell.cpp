// SPDX-License-Identifier: BSD-3-Clause
//
// sell: SELL-C-sigma (Kreutzer, Hager, Wellein, Fehske, Bishop: A unified sparse matrix data format
// for efficient general sparse matrix-vector multiplication on modern processors with wide SIMD
// units, SIAM J. Sci. Comput. 36, 2014). Rows are cut into slices of C; step k of a slice holds the
// k-th entry of each of its rows side by side, so that the lanes of a vector register sum C rows at
// once, each in stored order with its own accumulator: the bits of csr.
//   for each slice, for each step, for each lane l: sum[l] = fma(value, x[index], sum[l])
// Steps that every row of the slice has run unmasked. In the others an index of -1 marks padding,
// where no x counts (lanes.hpp). The last slice may have fewer rows and is stored with that
// many lanes. sigma > 1 sorts the rows of each window of sigma rows by falling length to save
// padding; y is written to its natural rows all the same. The default is the smallest window with
// at most 10 % padding: a band of 13 to 40 entries per row takes 0.82 of the time of sigma=1 (2
// threads).
//
// Bytes of the matrix: (v + 4) s + 16 slices, with s the slots: each slice as long as its longest
// row; 4 per row of a slice whose rows are not consecutive.
#include <cstring>

#include "kernels/choice.hpp"
#include "kernels/cpu/cpu_format.hpp"
#include "kernels/cpu/gather_trial.hpp"
#include "kernels/cpu/lanes.hpp"
#include "kernels/cpu/several_slices.hpp"
#include "kernels/cpu/sliced_rows.hpp"

namespace rowhalo {
namespace {

/// The matrix as a product reads it.
template <class T>
struct SellProduct : ProductArguments<T> {
  SlicedRowsView rows;
  const Offset* begins;       ///< first slot of each slice, and the end
  const LocalIndex* full;     ///< steps that all rows of the slice have
  const LocalIndex* indices;  ///< column of each slot, or `padding`
  const T* values;
};

template <class T, int C, Gather gather>
struct SellBody {
  using Arguments = SellProduct<T>;

  /// A slice of fewer than C rows, or of one: one row after the other.
  [[gnu::always_inline]] static void partial_slice(const Arguments& a, std::int64_t slice,
                                                   LocalIndex lanes) {
    T sums[C];
    const Offset end = a.begins[slice + 1];
    for (LocalIndex l = 0; l < lanes; ++l) {
      T sum = 0;
      for (Offset e = a.begins[slice] + l; e < end; e += lanes) {
        if (a.indices[e] == padding) break;
        sum = fused_multiply_add(a.values[e], a.x[a.indices[e]], sum);
      }
      sums[l] = sum;
    }
    finish_slice(a.rows, slice, sums, lanes, a.alpha, a.beta, a.y);
  }

  /// One step of a whole slice.
  template <Slots slots, int width, class Vector>
  [[gnu::always_inline]] static void add_step(const Arguments& a, Offset first, Vector* sums) {
    const T* values = a.values + first;
    const LocalIndex* columns = a.indices + first;
#pragma GCC unroll 32
    for (int g = 0; g < C / width; ++g, values += width, columns += width) {
      add_gathered<slots, gather>(values, columns, a.x, sums[g]);
    }
  }

  template <int vector_bytes>
  [[gnu::always_inline]] static void full_slice(const Arguments& a, std::int64_t slice) {
    constexpr int width = std::min<int>(C, vector_bytes / sizeof(T));
    using Vector [[gnu::vector_size(width * sizeof(T))]] = T;
    Vector sums[C / width] = {};
    const Offset end = a.begins[slice + 1];
    Offset first = a.begins[slice];
    const Offset masked = first + Offset{a.full[slice]} * C;
    for (; first < masked; first += C) add_step<Slots::entries, width>(a, first, sums);
    for (; first < end; first += C) add_step<Slots::may_be_empty, width>(a, first, sums);
    T result[C];
    std::memcpy(result, sums, sizeof(result));
    finish_slice(a.rows, slice, result, C, a.alpha, a.beta, a.y);
  }

  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const Arguments a = arguments;  // a copy that y cannot alias
    const std::int64_t whole = std::min<std::int64_t>(end, a.rows.count / C);
    for (std::int64_t slice = begin; slice < whole; ++slice) {
      if constexpr (C == 1) {
        partial_slice(a, slice, 1);
      } else {
        full_slice<vector_bytes>(a, slice);
      }
    }
    if (begin < end && whole < end) partial_slice(a, whole, a.rows.count % C);
  }
};

template <class T>
class SellKernel final : public CpuFormat {
 public:
  SellKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : CpuFormat(matrix, rows),
        c_(one_of(options, "c", {1, 2, 4, 8, 16, 32}, 8)),
        sigma_(options.integer("sigma", 0)) {
    const Isa isa = chosen_isa(options);
    lanes_ = slices_of_rows(matrix, rows, c_, sigma_);
    slices_ = lanes_.slices();
    cut_slices();
    check_padding(options, {begins_[slices_], listed_nonzeros(matrix, rows), matrix},
                  fmt::format("slices of {} rows", c_),
                  "sort more rows (sigma=), make c smaller, or use csr-omp");
    cut_parts(slices_, [&](std::int64_t slice) { return begins_[slice] + row_cost * c_ * slice; });
    fill();
    lanes_.close();
    const Run loads = loading_function(isa);
    run_ = faster_gather<T>(
        options, loads, gathering_function(isa), matrix,
        sample_of_slices(slices_, [&](std::int64_t slice) { return begins_[slice]; }),
        [&](const LocalProduct& product) { return arguments_of(product); });
    gathers_ = run_ != loads;
    run_several_ = several_functions<T>(isa).slice;
  }

  bool takes_several() const override { return true; }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    run_parts(run_, arguments_of(product));
  }
  void multiply_several(const LocalProduct& product, Stream) const override {
    SliceArguments<T> all{{product, streamable_rows()}, {}};
    run_several_parts(
        [this](SliceArguments<T> a, std::int64_t begin, std::int64_t end) {
          SlicePiece<T>& piece = a.piece;
          for (std::int64_t slice = begin; slice < end; ++slice) {
            piece.lanes = lanes_.lanes(slice);
            piece.values = values_.data() + begins_[slice];
            piece.columns = indices_.data() + begins_[slice];
            piece.steps = (begins_[slice + 1] - begins_[slice]) / piece.lanes;
            piece.full = full_[slice];
            piece.set_rows(lanes_.view(), slice);
            run_several_(a, 0, piece.lanes);
          }
        },
        all);
  }
  void refill(Stream) override {
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t slice = begin; slice < end; ++slice) fill_values(slice);
    });
  }

  std::int64_t stored_entries() const override { return begins_[slices_]; }
  std::int64_t held_bytes() const override {
    return begins_.bytes() + full_.bytes() + lanes_.bytes() + indices_.bytes() + values_.bytes();
  }
  std::int64_t matrix_bytes(const RowCounts&) const override { return held_bytes(); }
  std::string parameters() const override {
    const std::string sigma = sigma_ > 1 ? fmt::format("sigma={}", sigma_) : "";
    if (!gathers_) return sigma;
    return sigma.empty() ? "gather=on" : sigma + "; gather=on";
  }

  SellProduct<T> arguments_of(const LocalProduct& product) const {
    return {product, lanes_.view(), begins_.data(), full_.data(), indices_.data(), values_.data()};
  }

  Offset length(LocalIndex row) const { return csr_.offsets[row + 1] - csr_.offsets[row]; }

  /// Where each slice begins, and how many steps all its rows have.
  void cut_slices() {
    begins_ = Buffer<Offset>(slices_ + 1);
    full_ = Buffer<LocalIndex>(slices_);
    begins_[0] = 0;
#pragma omp parallel for schedule(static)
    for (std::int64_t slice = 0; slice < slices_; ++slice) {
      Offset shortest = length(lanes_.row(slice, 0)), longest = shortest;
      for (LocalIndex l = 1; l < lanes_.lanes(slice); ++l) {
        const LocalIndex row = lanes_.row(slice, l);
        shortest = std::min(shortest, length(row));
        longest = std::max(longest, length(row));
      }
      begins_[slice + 1] = longest * lanes_.lanes(slice);
      full_[slice] = static_cast<LocalIndex>(shortest);
    }
    for (std::int64_t slice = 0; slice < slices_; ++slice) begins_[slice + 1] += begins_[slice];
  }

  /// Copies the entries into their slots; each thread touches first what it will read.
  void fill() {
    indices_ = Buffer<LocalIndex>(begins_[slices_]);
    values_ = Buffer<T>(begins_[slices_]);
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t slice = begin; slice < end; ++slice) fill_slice(slice);
    });
  }

  void fill_slice(std::int64_t slice) {
    lanes_.store(slice);
    const LocalIndex stride = lanes_.lanes(slice);
    for (LocalIndex l = 0; l < stride; ++l) {
      const LocalIndex row = lanes_.stored_row(slice, l);
      Offset slot = begins_[slice] + l;
      for (Offset e = csr_.offsets[row]; e < csr_.offsets[row + 1]; ++e, slot += stride) {
        indices_[slot] = csr_.indices[e];
      }
      for (; slot < begins_[slice + 1]; slot += stride) {
        indices_[slot] = padding;
        values_[slot] = 0;
      }
    }
    fill_values(slice);
  }

  void fill_values(std::int64_t slice) {
    const LocalIndex stride = lanes_.lanes(slice);
    const T* values = static_cast<const T*>(csr_.values);
    for (LocalIndex l = 0; l < stride; ++l) {
      const LocalIndex row = lanes_.stored_row(slice, l);
      Offset slot = begins_[slice] + l;
      for (Offset e = csr_.offsets[row]; e < csr_.offsets[row + 1]; ++e, slot += stride) {
        values_[slot] = values[e];
      }
    }
  }

  using Run = RangeFunction<SellBody<T, 1, Gather::loads>>;

  Run loading_function(Isa isa) const {
    return with_choice<1, 2, 4, 8, 16, 32>(
        c_, [&](auto c) -> Run { return for_isa<SellBody<T, c, Gather::loads>>(isa); });
  }

  /// Null where the lanes of a slice fill no register.
  Run gathering_function(Isa isa) const {
    constexpr int register_bytes = 64;
    return with_choice<1, 2, 4, 8, 16, 32>(c_, [&](auto c) -> Run {
      if constexpr (c * sizeof(T) < register_bytes) {
        return nullptr;
      } else {
        return for_avx512<SellBody<T, c, Gather::instruction>>(isa);
      }
    });
  }

  LocalIndex c_;
  std::int64_t sigma_, slices_ = 0;
  SlicedRows lanes_;  ///< which row stands where
  Buffer<Offset> begins_;
  Buffer<LocalIndex> full_, indices_;
  Buffer<T> values_;
  Run run_ = nullptr;
  bool gathers_ = false;
  SeveralSlices<T> run_several_ = nullptr;
};

}  // namespace

const FormatParts sell_format{
    make_cpu_format<SellKernel>,
    {"c", "sigma", "gather", "max_padding", "simd"},
    [](const LocalStatistics& s) {
      return Prediction{cost::padded_bytes(s, cost::nonzeros(s))};  // sorting can leave no padding
    }};

}  // namespace rowhalo

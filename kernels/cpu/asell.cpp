// SPDX-License-Identifier: BSD-3-Clause
//
// asell: sliced ELLPACK (sell.cpp) in which every slice of 32 rows has one index code, the one of
// the fewest bytes among
//   offsets  one offset for all rows, column = anchor(row) + offset, anchor(row) = first row of its
//            b x b block, and a mask of the rows that have the entry: 8 bytes per step
//   8-bit    distance to the previous entry of the row, the first column follows the last; all
//            ones: advance without an entry: 32 bytes per step
//   16-bit   the same in 16 bits: 64 bytes per step
//   32-bit   the column itself, -1 is padding: 128 bytes per step
// Columns of a local matrix ascend but where a row goes from ghosts back to owned ones. The
// drawing: kernels/gpu/asell/asell.cpp. Rows keep their stored order and have one accumulator each:
// the bits of csr; no x counts in padding (asell_kernel.hpp). codes=on (default) keeps values as
// one byte each if registers hold all distinct ones (with AVX2: 8, fp32 16), not at all where
// there is one (value_codes.hpp), and in 16 bits where that is exact (fixed_point.hpp). sigma=
// sorts rows by length as in sell, with its default; without sigma= rows much longer than the
// others stay in CSR (long_rows.hpp); gather=on|off as in sell. Worth (Zen 4, fp64, one core, times
// of the next simpler over this): offsets over 32-bit 1.7 on stencil27; 16-bit over 32-bit 1.6 on
// random, 1.15 on rmat, 1.0 on road; 8-bit over 16-bit 1.03 on a band; a byte per value 2.5 on
// stencil27, but 0.5 from a table of 60 values in memory: left out; asking ahead for x where it is
// larger than a megabyte 1.7 on random (4 ranks); for distant values beside distances (Zen 3, AVX2,
// 2 threads) 1.2 on a band and on lp, 1.3 on random; for distances of 16 bits, too (Zen 4, AVX2, 2
// threads) 1.4 on random, 1.2 on scrambled rmat, and with values in 16 bits 1.7 on random; 16 bits
// per value (Zen 3, without that) 1.3 to 1.4 on a band, lp and random, 1.0 on road and rmat.
//
// Bytes of the matrix: s (v, 2, 1 or 0) + 8, 32, 64 or 128 per step of a slice + 28 slices, with s
// the slots; 4 per row of a slice whose rows are not consecutive; v + 4 per entry of a long row.
#include "kernels/cpu/asell_code.hpp"
#include "kernels/cpu/asell_kernel.hpp"
#include "kernels/cpu/asell_several.hpp"
#include "kernels/cpu/cpu_format.hpp"
#include "kernels/cpu/gather_trial.hpp"
#include "kernels/cpu/sliced_rows.hpp"
#include "kernels/cpu/value_codes.hpp"

namespace rowhalo::cpu_asell {
namespace {

constexpr LocalIndex c = strip_lanes;

template <class T>
class AsellKernel final : public CpuFormat {
 public:
  AsellKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : CpuFormat(matrix, rows) {
    const Isa isa = chosen_isa(options);
    const bool use_codes = wants_value_codes(matrix, options);
    sigma_ = options.integer("sigma", 0);
    long_rows_ = sigma_ == 0 ? LongRows(matrix, rows) : LongRows(rows);
    const RowListView sliced = long_rows_.others();
    lanes_ = slices_of_rows(matrix, sliced, c, sigma_);
    if (use_codes) table_ = ValueTable<T>(matrix, sliced, isa == Isa::plain ? 1 : table_size);
    if (use_codes && table_.size() == 0) {
      const auto fixed = fixed_point_of<T>(matrix, sliced);
      fixed_ = fixed.has_value();
      if (fixed_) fixed_code_ = FixedPointCode<T>(*fixed);
    }
    cut_slices();
    const std::int64_t slices = lanes_.slices(), items = slices + long_rows_.groups();
    check_padding(options, {slices_[slices].slot, listed_nonzeros(matrix, sliced), matrix},
                  fmt::format("slices of {} rows", c), "sort more rows (sigma=), or use csr-omp");
    cut_parts(items, [&](std::int64_t item) {
      const std::int64_t slice = std::min(item, slices);
      return slices_[slice].slot + row_cost * c * slice + long_rows_.nonzeros_before(item - slice);
    });
    fill();
    lanes_.close();
    const Run loads = for_isa<AsellBody<T, Gather::loads>>(isa);
    run_ = faster_gather<T>(
        options, loads, for_avx512<AsellBody<T, Gather::instruction>>(isa), matrix,
        sample_of_slices(slices, [&](std::int64_t slice) { return slices_[slice].slot; }),
        [&](const LocalProduct& product) { return arguments_of(product); });
    gathers_ = run_ != loads;
    several_ = several_functions<T>(isa);
    decode_ = for_isa<AsellDecoding<T>>(isa);
  }

  std::optional<std::int64_t> dot_parts() const override { return parts_of_dot<T>(); }
  bool takes_several() const override { return true; }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    const AsellArguments<T> arguments = arguments_of(product);
    run_parts_with_dot<T>(product, run_, arguments, rows_of_piece / c,
                          [&](std::int64_t begin, std::int64_t end, const double* x,
                              const double* y) { return dot_of_items(begin, end, x, y); });
  }
  void multiply_several(const LocalProduct& product, Stream) const override {
    const SeveralArguments<T> several(product, streamable_rows());
    const AsellSeveralArguments<T> slices{{several, {}}, arguments_of(product), several_.slice};
    const LongRowsArguments<T> rows{several, long_rows_.view<T>(csr_)};
    run_several_parts(
        [&](const auto&, std::int64_t begin, std::int64_t end) {
          const std::int64_t first_long = std::max(begin, lanes_.slices());
          decode_(slices, begin, std::min(end, lanes_.slices()));
          if (first_long < end) {
            several_.long_rows(rows, first_long - lanes_.slices(), end - lanes_.slices());
          }
        },
        several);
  }
  void refill(Stream) override {
    for_each_slice([this](std::int64_t slice) { fill_values(slice); });
  }

  static constexpr std::size_t table_size = 64 / sizeof(T);
  using Run = RangeFunction<AsellBody<T, Gather::loads>>;

  AsellArguments<T> arguments_of(const LocalProduct& product) const {
    const std::int64_t stored_bytes = indices_.bytes() + values_.bytes() + fixed_codes_.bytes();
    const bool far = stored_bytes > l2_bytes * (std::ssize(bounds_) - 1);
    return {product,
            lanes_.view(),
            slices_.data(),
            indices_.data(),
            far,
            csr_.block,
            values_.data(),
            fixed_codes_.data(),
            fixed_code_,
            codes_.data(),
            values_of_codes_,
            csr_.columns,
            lanes_.slices(),
            long_rows_.view<T>(csr_)};
  }

  std::int64_t stored_entries() const override {
    return slices_[lanes_.slices()].slot + long_rows_.nonzeros();
  }
  std::int64_t stored_bytes() const {
    return slices_.bytes() + lanes_.bytes() + indices_.bytes() + values_.bytes() +
           fixed_codes_.bytes() + codes_.bytes() + long_rows_.bytes();
  }
  std::int64_t matrix_bytes(const RowCounts&) const override {
    return stored_bytes() + static_cast<std::int64_t>(table_.size() * sizeof(T)) +
           long_rows_.nonzeros() * static_cast<std::int64_t>(sizeof(T) + sizeof(LocalIndex));
  }
  std::int64_t held_bytes() const override {
    return stored_bytes() + static_cast<std::int64_t>(sizeof(values_of_codes_));
  }

  /// The sum of x[i] y[i] over the rows of slices and groups of long rows [begin, end).
  double dot_of_items(std::int64_t begin, std::int64_t end, const double* x,
                      const double* y) const {
    const SlicedRowsView rows = lanes_.view();
    double sum = 0;
    for (std::int64_t group = std::max(begin, lanes_.slices()) - lanes_.slices();
         group < end - lanes_.slices(); ++group) {
      const LocalIndex* members = long_rows_.begin(group);
      sum += dot_of_rows(long_rows_.size(group), x, y, [&](LocalIndex r) { return members[r]; });
    }
    for (std::int64_t slice = begin; slice < std::min(end, lanes_.slices()); ++slice) {
      const auto lanes = static_cast<LocalIndex>(std::min<std::int64_t>(c, rows.count - slice * c));
      const LocalIndex first = rows.first[slice];
      const LocalIndex* scattered = rows.scattered + ~first;
      sum += first >= 0 ? dot_of_rows(lanes, x, y, [&](LocalIndex l) { return first + l; })
                        : dot_of_rows(lanes, x, y, [&](LocalIndex l) { return scattered[l]; });
    }
    return sum;
  }

  std::int64_t value_bytes() const {
    if (fixed_) return sizeof(std::uint16_t);
    return table_.size() == 0 ? sizeof(T) : table_.size() == 1 ? 0 : 1;
  }

  SliceRows slice_rows(std::int64_t slice) const {
    SliceRows result;
    result.lanes = lanes_.lanes(slice);
    result.block = csr_.block;
    result.all_columns = csr_.columns;
    for (LocalIndex l = 0; l < result.lanes; ++l) {
      const LocalIndex row = lanes_.row(slice, l);
      result.rows[l] = row;
      result.lengths[l] = static_cast<LocalIndex>(csr_.offsets[row + 1] - csr_.offsets[row]);
      result.columns[l] = csr_.indices + csr_.offsets[row];
    }
    return result;
  }

  /// The code of each slice, and where its data begin.
  void cut_slices() {
    const std::int64_t slices = lanes_.slices();
    slices_ = Buffer<AsellSlice>(slices + 1);
    slices_[0] = {};
    Offset slots_of_code[index_codes] = {};
    FirstFailure failure;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : slots_of_code)
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      failure.catching([&] {
        const SliceRows rows = slice_rows(slice);
        const SliceCode code = choose_code(rows, value_bytes());
        const Offset slots = Offset{code.steps} * rows.lanes;
        slots_of_code[static_cast<int>(code.code)] += slots;
        slices_[slice].code = code.code;
        slices_[slice].base_or_full = code.base_or_full;
        slices_[slice + 1].slot = slots;
        slices_[slice + 1].index = index_bytes(code, rows.lanes);
      });
    }
    failure.rethrow();
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      slices_[slice + 1].slot += slices_[slice].slot;
      slices_[slice + 1].index += slices_[slice].index;
    }
    slices_[slices].code = {};
    slices_[slices].base_or_full = 0;
    std::copy_n(slots_of_code, index_codes, slots_of_code_);
  }

  /// Copies the entries into their slots; each thread touches first what it will read.
  void fill() {
    const AsellSlice& last = slices_[lanes_.slices()];
    indices_ = Buffer<std::byte>(last.index);
    if (fixed_) {
      fixed_codes_ = Buffer<std::uint16_t>(last.slot);
    } else if (table_.size() == 0) {
      values_ = Buffer<T>(last.slot);
    }
    if (table_.size() > 1) codes_ = Buffer<std::uint8_t>(last.slot);
    for (std::size_t k = 0; k < table_.size(); ++k) values_of_codes_[k] = table_[k];
    for_each_slice([this](std::int64_t slice) {
      lanes_.store(slice);
      write_indices(slice_rows(slice), code_of(slice), indices_.data() + slices_[slice].index);
      const Offset first = slices_[slice].slot, size = slices_[slice + 1].slot - first;
      if (values_.bytes() > 0) std::fill_n(values_.data() + first, size, T{0});
      if (fixed_) std::fill_n(fixed_codes_.data() + first, size, 0);
      if (codes_.bytes() > 0) std::fill_n(codes_.data() + first, size, 0);
      fill_values(slice);
    });
  }

  template <class Work>
  void for_each_slice(const Work& work) {
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end_of_part) {
      const std::int64_t end = std::min(end_of_part, lanes_.slices());
      for (std::int64_t slice = begin; slice < end; ++slice) work(slice);
    });
  }

  SliceCode code_of(std::int64_t slice) const {
    const Offset slots = slices_[slice + 1].slot - slices_[slice].slot;
    return {slices_[slice].code, static_cast<LocalIndex>(slots / lanes_.lanes(slice)),
            slices_[slice].base_or_full};
  }

  /// By the indices, which say which slots have an entry; the others stay 0.
  void fill_values(std::int64_t slice) {
    const SliceCode code = code_of(slice);
    const LocalIndex lanes = lanes_.lanes(slice);
    const std::byte* indices = indices_.data() + slices_[slice].index;
    const auto put = [&](auto& stored, const auto& coded) {
      auto* slots = stored.data() + slices_[slice].slot;
      for (LocalIndex l = 0; l < lanes; ++l) {
        const Offset first = csr_.offsets[lanes_.stored_row(slice, l)];
        const T* next = static_cast<const T*>(csr_.values) + first;
        visit_lane(code, lanes, l, indices, [&](Offset slot) { slots[slot] = coded(*next++); });
      }
    };
    if (fixed_) {
      put(fixed_codes_, [&](T value) { return fixed_code_.code(value); });
    } else if (table_.size() > 1) {
      put(codes_, [&](T value) { return table_.code(value); });
    } else if (table_.size() == 0) {
      put(values_, [](T value) { return value; });
    }
  }

  /// "offsets 98 %, 32-bit 2 %; 2 values; sigma=1024", of slots; what is usual is left out.
  std::string parameters() const override {
    std::string text;
    for (int code = 0; code < index_codes; ++code) {
      if (slots_of_code_[code] == 0) continue;
      if (!text.empty()) text += ", ";
      text += fmt::format("{} {:.0f} %", index_code_names[code],
                          100.0 * static_cast<double>(slots_of_code_[code]) /
                              static_cast<double>(slices_[lanes_.slices()].slot));
    }
    if (fixed_) text += "; 16-bit values";
    if (table_.size() == 1) text += "; 1 value";
    if (table_.size() > 1) text += fmt::format("; {} values", table_.size());
    if (sigma_ > 1) text += fmt::format("; sigma={}", sigma_);
    if (gathers_) text += "; gather=on";
    if (long_rows_.count() > 0) text += fmt::format("; {} long rows", long_rows_.count());
    return text;
  }

  Run run_ = nullptr;
  SeveralFunctions<T> several_;
  RangeFunction<AsellDecoding<T>> decode_ = nullptr;
  bool gathers_ = false;
  std::int64_t sigma_ = 0;
  LongRows long_rows_;
  SlicedRows lanes_;  ///< which row stands where
  ValueTable<T> table_;
  bool fixed_ = false;  ///< values are kept in 16 bits
  FixedPointCode<T> fixed_code_;
  Buffer<AsellSlice> slices_;
  Buffer<std::byte> indices_;
  Buffer<T> values_;
  Buffer<std::uint16_t> fixed_codes_;
  Buffer<std::uint8_t> codes_;
  T values_of_codes_[table_size] = {};
  Offset slots_of_code_[index_codes] = {};
};

}  // namespace
}  // namespace rowhalo::cpu_asell

namespace rowhalo {

const FormatParts asell_format{make_cpu_format<cpu_asell::AsellKernel>,
                               {"sigma", "codes", "gather", "max_padding", "simd"},
                               cost::shared_patterns};

}  // namespace rowhalo

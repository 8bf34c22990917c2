// SPDX-License-Identifier: BSD-3-Clause
//
// dia: diagonals (Saad: Iterative methods for sparse linear systems, section 3.4). A diagonal is
// all entries with the same column - row; each that the listed rows touch is stored for all of
// them, so that x is read in order and no entry has an index. Rows are taken in strips of 32, as
// row lists group them. A strip keeps one diagonal after the other, 32 values each, and a 32-bit
// mask a diagonal that says which of them are entries:
//   for each strip, for each diagonal d, for each row i of the strip with its bit in the mask:
//     sums[i] = fma(value, x[i + offset[d]], sums[i])
// A whole mask needs no test; no x counts in padding (lanes.hpp). Where the rows of a strip are
// not consecutive, and in the last strip, one row is summed after the other.
// A row is summed by ascending local column, which is the stored order only where the two agree.
//
// Bytes of the matrix: d m (v + 1/8) + 4 d + rows, with d diagonals.

#include <atomic>

#include "kernels/cpu/cpu_format.hpp"
#include "kernels/cpu/lanes.hpp"
#include "kernels/cpu/several_slices.hpp"

namespace rowhalo {
namespace {

static_assert(strip_lanes == RowListView::group_size);

template <class T>
struct DiaBody {
  struct Arguments : ProductArguments<T> {
    RowListView rows;
    std::int64_t columns;
    LocalIndex diagonals;
    const LocalIndex* offsets;  ///< column - row of each diagonal, ascending
    const StripMask* masks;     ///< [strip][diagonal]
    const T* values;            ///< [strip][diagonal][row of the strip]
  };

  template <int vector_bytes>
  [[gnu::always_inline]] static void consecutive_rows(const Arguments& a, std::int64_t strip,
                                                      LocalIndex first_row) {
    const StripMask* masks = a.masks + strip * a.diagonals;
    const T* values = a.values + strip * a.diagonals * strip_lanes;
    StripSums<T, vector_bytes> sums;
    for (LocalIndex d = 0; d < a.diagonals; ++d, values += strip_lanes) {
      const StripMask mask = masks[d];
      const std::int64_t column = std::int64_t{first_row} + a.offsets[d];
      if (mask == whole_strip) {
        sums.template add<Slots::entries>(values, a.x + column, mask);
      } else if (mask == 0) {
        continue;
      } else if (column >= 0 && column + strip_lanes <= a.columns) {
        sums.template add<Slots::may_be_empty>(values, a.x + column, mask);
      } else {
        alignas(64) T x[strip_lanes];
        copy_masked(a.x, column, mask, x);
        sums.template add<Slots::entries>(values, x, mask);
      }
    }
    T result[strip_lanes];
    sums.store(result);
    for (LocalIndex l = 0; l < strip_lanes; ++l) {
      finish_row(a.alpha, result[l], a.beta, a.y[first_row + l]);
    }
  }

  [[gnu::always_inline]] static void any_rows(const Arguments& a, std::int64_t strip,
                                              LocalIndex lanes) {
    const StripMask* masks = a.masks + strip * a.diagonals;
    const T* values = a.values + strip * a.diagonals * strip_lanes;
    for (LocalIndex l = 0; l < lanes; ++l) {
      const LocalIndex row = a.rows[static_cast<LocalIndex>(strip * strip_lanes) + l];
      T sum = 0;
      for (LocalIndex d = 0; d < a.diagonals; ++d) {
        if ((masks[d] >> l & 1) == 0) continue;
        const std::int64_t column = std::int64_t{row} + a.offsets[d];
        sum = fused_multiply_add(values[std::int64_t{d} * lanes + l], a.x[column], sum);
      }
      finish_row(a.alpha, sum, a.beta, a.y[row]);
    }
  }

  /// Strips [begin, end).
  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const Arguments a = arguments;  // a copy that y cannot alias
    for (std::int64_t strip = begin; strip < end; ++strip) {
      const auto position = static_cast<LocalIndex>(strip * strip_lanes);
      const LocalIndex lanes = std::min(strip_lanes, a.rows.count - position);
      if (lanes == strip_lanes && (a.rows.groups == nullptr || a.rows.groups[strip] >= 0)) {
        consecutive_rows<vector_bytes>(a, strip, a.rows[position]);
      } else {
        any_rows(a, strip, lanes);
      }
    }
  }
};

template <class T>
class DiaKernel final : public CpuFormat {
 public:
  DiaKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : CpuFormat(matrix, rows),
        run_(for_isa<DiaBody<T>>(chosen_isa(options))),
        run_several_(several_functions<T>(chosen_isa(options)).slice) {
    find_diagonals();
    slots_ = std::int64_t{diagonals_} * rows.count;
    check_padding(options, {slots_, listed_nonzeros(matrix, rows), matrix},
                  fmt::format("{} diagonals of {} rows", diagonals_, rows.count),
                  "use sell or csr-omp");
    const std::int64_t strips = (std::int64_t{rows.count} + strip_lanes - 1) / strip_lanes;
    cut_parts(strips, [](std::int64_t strip) { return strip; });
    masks_ = Buffer<StripMask>(strips * diagonals_);
    values_ = Buffer<T>(slots_);
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      std::fill(masks_.data() + begin * diagonals_, masks_.data() + end * diagonals_, StripMask{0});
      for (std::int64_t strip = begin; strip < end; ++strip) {
        for_each_slot(strip, [&](LocalIndex d, LocalIndex l, Offset) {
          masks_[strip * diagonals_ + d] |= StripMask{1} << l;
        });
        fill_values(strip);
      }
    });
  }

  bool takes_several() const override { return true; }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    run_parts(run_, typename DiaBody<T>::Arguments{product, rows_, csr_.columns, diagonals_,
                                                   offsets_.data(), masks_.data(), values_.data()});
  }
  void multiply_several(const LocalProduct& product, Stream) const override {
    run_several_parts(
        [this](SliceArguments<T> a, std::int64_t begin, std::int64_t end) {
          for (std::int64_t strip = begin; strip < end; ++strip) multiply_strip(a, strip);
        },
        SliceArguments<T>{{product, streamable_rows()}, {}});
  }
  void refill(Stream) override {
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t strip = begin; strip < end; ++strip) fill_values(strip);
    });
  }

  /// Several vectors: the strip is a slice whose steps are the diagonals.
  void multiply_strip(SliceArguments<T>& a, std::int64_t strip) const {
    SlicePiece<T>& piece = a.piece;
    LocalIndex rows[strip_lanes], columns[decoded_steps * strip_lanes];
    T sums[most_vectors * strip_lanes];
    OffsetStep steps[decoded_steps];
    piece.lanes = lanes_of(strip);
    piece.sums = sums;
    piece.first_row = rows_[static_cast<LocalIndex>(strip * strip_lanes)];
    const bool consecutive = rows_.groups == nullptr || rows_.groups[strip] >= 0;
    for (LocalIndex l = 0; l < piece.lanes; ++l) {
      rows[l] = rows_[static_cast<LocalIndex>(strip * strip_lanes) + l];
    }
    piece.rows = consecutive ? nullptr : rows;
    piece.columns = consecutive ? nullptr : columns;
    piece.offsets = consecutive ? steps : nullptr;
    for (LocalIndex d = 0; d == 0 || d < diagonals_; d += decoded_steps) {
      piece.steps = std::min<std::int64_t>(decoded_steps, diagonals_ - d);
      piece.begins = d == 0;
      piece.ends = d + piece.steps == diagonals_;
      piece.values = values_.data() + strip * diagonals_ * strip_lanes + Offset{d} * piece.lanes;
      for (LocalIndex s = 0; s < piece.steps; ++s) {
        steps[s] = {offsets_[d + s], masks_[strip * diagonals_ + d + s]};
        if (consecutive) continue;
        for (LocalIndex l = 0; l < piece.lanes; ++l) {
          const bool has = (steps[s].mask >> l & 1) != 0;
          columns[s * piece.lanes + l] = has ? rows[l] + steps[s].offset : padding;
        }
      }
      run_several_(a, 0, piece.lanes);
    }
  }

  std::int64_t stored_entries() const override { return slots_; }
  std::int64_t held_bytes() const override {
    return offsets_.bytes() + masks_.bytes() + values_.bytes();
  }

  void find_diagonals() {
    std::vector<LocalIndex> marks(static_cast<std::size_t>(csr_.rows) + csr_.columns, 0);
#pragma omp parallel for schedule(static)
    for (LocalIndex k = 0; k < rows_.count; ++k) {
      const LocalIndex row = rows_[k];
      for (Offset e = csr_.offsets[row]; e < csr_.offsets[row + 1]; ++e) {
        std::atomic_ref used(marks[std::int64_t{csr_.indices[e]} - row + csr_.rows]);
        // Most entries find their diagonal marked: only a load, so that threads share the line.
        if (used.load(std::memory_order_relaxed) == 0) used.store(1, std::memory_order_relaxed);
      }
    }
    diagonals_ = static_cast<LocalIndex>(std::count(marks.begin(), marks.end(), 1));
    offsets_ = Buffer<LocalIndex>(diagonals_);
    LocalIndex next = 0;
    for (std::size_t d = 0; d < marks.size(); ++d) {
      if (marks[d] == 0) continue;
      offsets_[next++] = static_cast<LocalIndex>(static_cast<std::int64_t>(d) - csr_.rows);
    }
  }

  LocalIndex lanes_of(std::int64_t strip) const {
    return std::min(strip_lanes, rows_.count - static_cast<LocalIndex>(strip * strip_lanes));
  }

  /// visit(diagonal, lane, entry) for each entry of a strip. Most entries of a row lie on a
  /// diagonal soon after that of the entry before.
  template <class Visit>
  void for_each_slot(std::int64_t strip, const Visit& visit) const {
    const LocalIndex* const first = offsets_.data();
    for (LocalIndex l = 0; l < lanes_of(strip); ++l) {
      const LocalIndex row = rows_[static_cast<LocalIndex>(strip * strip_lanes) + l];
      const LocalIndex* d = first;
      for (Offset e = csr_.offsets[row]; e < csr_.offsets[row + 1]; ++e) {
        const LocalIndex shift = csr_.indices[e] - row;
        if (*d > shift) d = first;
        constexpr int soon = 4;
        for (int k = 0; k < soon && *d < shift; ++k) ++d;
        if (*d < shift) d = std::lower_bound(d, first + diagonals_, shift);
        visit(static_cast<LocalIndex>(d - first), l, e);
      }
    }
  }

  void fill_values(std::int64_t strip) {
    const auto* entries = static_cast<const T*>(csr_.values);
    const LocalIndex lanes = lanes_of(strip);
    T* values = values_.data() + strip * diagonals_ * strip_lanes;
    std::fill_n(values, std::int64_t{diagonals_} * lanes, T{0});
    for_each_slot(strip, [&](LocalIndex d, LocalIndex l, Offset e) {
      values[std::int64_t{d} * lanes + l] += entries[e];
    });
  }

  RangeFunction<DiaBody<T>> run_;
  SeveralSlices<T> run_several_;
  LocalIndex diagonals_ = 0;
  std::int64_t slots_ = 0;
  Buffer<LocalIndex> offsets_;
  Buffer<StripMask> masks_;
  Buffer<T> values_;
};

}  // namespace

const FormatParts dia_format{
    make_cpu_format<DiaKernel>, {"max_padding", "simd"}, [](const LocalStatistics& s) {
      return Prediction{cost::diagonal_bytes(s)};
    }};

}  // namespace rowhalo

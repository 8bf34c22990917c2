// SPDX-License-Identifier: BSD-3-Clause
//
// Products of several vectors (several.hpp) with formats whose rows lie side by side: slices of
// `lanes` rows, at most one entry of each in a step. A format hands over slice after slice with its
// values and columns as they are, or decoded into a buffer that stays in the L1 cache, up to
// decoded_steps at a time; rows are then summed as in CSR, each along its lane:
//   for each step in order, if lane l has an entry: sum[l][k] = fma(value, X[column][k], sum[l][k])
#pragma once

#include "kernels/cpu/long_rows.hpp"
#include "kernels/cpu/several.hpp"
#include "kernels/cpu/sliced_rows.hpp"

namespace rowhalo {

/// Steps of a slice of strip_lanes rows that are decoded at once.
inline constexpr std::int64_t decoded_steps = 32;

/// Some steps of a slice.
template <class T>
struct SlicePiece {
  const T* values = nullptr;            ///< [step][lane]
  const LocalIndex* columns = nullptr;  ///< [step][lane], `padding` where there is no entry, or
  const OffsetStep* offsets = nullptr;  ///< one per step of up to 32 consecutive rows: row + offset
  LocalIndex lanes = 0;
  std::int64_t steps = 0, full = 0;  ///< full: that all lanes have, of `columns`
  LocalIndex first_row = 0;
  const LocalIndex* rows = nullptr;  ///< of the lanes; null: consecutive from first_row on
  T* sums = nullptr;                 ///< [lane][vector], kept from piece to piece of a slice
  bool begins = true, ends = true;   ///< the slice

  /// The rows of slice `slice`.
  void set_rows(const SlicedRowsView& all, std::int64_t slice) {
    const LocalIndex first = all.first[slice];
    first_row = std::max(first, 0);
    rows = first >= 0 ? nullptr : all.scattered + ~first;
  }
};

template <class T>
struct SliceArguments : SeveralArguments<T> {
  SlicePiece<T> piece;
};

template <class T>
struct SliceLoops {
  using Value = T;
  using Arguments = SliceArguments<T>;

  /// Rows that are summed side by side.
  template <class Sums>
  struct Group {
    static constexpr int rows = Sums::rows;
    Sums sums[rows];
    LocalIndex lane[rows];  ///< the last row stands in for those behind it

    [[gnu::always_inline]] void add(int r, T value, const T* x, std::int64_t vectors) {
      sums[r].add(value, x, vectors);
    }
    [[gnu::always_inline]] void add_columns(const Arguments& a) {
      const T* values = a.piece.values;
      const LocalIndex* columns = a.piece.columns;
      std::int64_t step = 0;
      for (; step < a.piece.full; ++step, values += a.piece.lanes, columns += a.piece.lanes) {
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r) {
          add(r, values[lane[r]], a.x + columns[lane[r]] * a.vectors, a.vectors);
        }
      }
      for (; step < a.piece.steps; ++step, values += a.piece.lanes, columns += a.piece.lanes) {
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r) {
          if (columns[lane[r]] == padding) continue;
          add(r, values[lane[r]], a.x + columns[lane[r]] * a.vectors, a.vectors);
        }
      }
    }
    [[gnu::always_inline]] void add_offsets(const Arguments& a) {
      const T* values = a.piece.values;
      StripMask own = 0;
      for (int r = 0; r < rows; ++r) own |= StripMask{1} << lane[r];
      for (std::int64_t s = 0; s < a.piece.steps; ++s, values += a.piece.lanes) {
        const OffsetStep step = a.piece.offsets[s];
        const T* x = a.x + (std::int64_t{a.piece.first_row} + step.offset) * a.vectors;
        if ((step.mask & own) == own) {
#pragma GCC unroll 4
          for (int r = 0; r < rows; ++r) {
            add(r, values[lane[r]], x + lane[r] * a.vectors, a.vectors);
          }
        } else {
#pragma GCC unroll 4
          for (int r = 0; r < rows; ++r) {
            if ((step.mask >> lane[r] & 1) == 0) continue;
            add(r, values[lane[r]], x + lane[r] * a.vectors, a.vectors);
          }
        }
      }
    }
  };

  template <class Sums>
  [[gnu::always_inline]] static void run_lanes(const Arguments& a, std::int64_t begin,
                                               std::int64_t end, const RowsOfY<T>& y) {
    const SlicePiece<T>& piece = a.piece;
    for (std::int64_t k = begin; k < end; k += Sums::rows) {
      Group<Sums> group;
#pragma GCC unroll 4
      for (int r = 0; r < Sums::rows; ++r) {
        group.lane[r] = static_cast<LocalIndex>(std::min(k + r, end - 1));
        if (!piece.begins) group.sums[r].load(piece.sums + group.lane[r] * a.vectors, a.vectors);
      }
      if (piece.offsets != nullptr) {
        group.add_offsets(a);
      } else {
        group.add_columns(a);
      }
#pragma GCC unroll 4
      for (int r = 0; r < Sums::rows; ++r) {
        if (k + r >= end) break;
        const LocalIndex lane = group.lane[r];
        if (!piece.ends) {
          group.sums[r].store(piece.sums + lane * a.vectors, a.vectors);
        } else {
          const LocalIndex row = piece.rows == nullptr ? piece.first_row + lane : piece.rows[lane];
          group.sums[r].finish(a.alpha, a.beta, y(row, a.vectors), a.vectors);
        }
      }
    }
  }

  /// Lanes [begin, end).
  template <class Sums>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    Arguments a = arguments;
    a.streams = a.streams && a.piece.rows == nullptr && a.piece.ends;
    const auto work = [&](std::int64_t first, std::int64_t last, const RowsOfY<T>& y)
        __attribute__((always_inline)) {
      run_lanes<Sums>(a, first, last, y);
    };
    if (a.piece.rows != nullptr) a.piece.first_row = 0;
    for_consecutive_rows<T>(a, static_cast<LocalIndex>(a.piece.first_row + begin), begin, end,
                            work);
  }
};

/// Multiplies lanes [begin, end) of a piece.
template <class T>
using SeveralSlices = RangeFunction<SeveralBody<SliceLoops<T>>>;

template <class T>
struct LongRowsArguments : SeveralArguments<T> {
  LongRowsView<T> rows;
};

/// What multiplies slices, and groups [begin, end) of long rows (long_rows.hpp).
template <class T>
struct SeveralFunctions {
  SeveralSlices<T> slice = nullptr;
  void (*long_rows)(const LongRowsArguments<T>&, std::int64_t begin, std::int64_t end) = nullptr;
};

/// As compiled for `isa`; T double or float.
template <class T>
SeveralFunctions<T> several_functions(Isa isa);

}  // namespace rowhalo

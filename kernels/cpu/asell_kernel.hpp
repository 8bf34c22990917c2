// SPDX-License-Identifier: BSD-3-Clause
//
// The product of asell (asell.cpp): one loop for each index code of a slice, over one source of
// values (stored, a byte that names one of a table, 16 bits, or one constant). 32 rows per slice,
// summed side by side in registers:
//   for each step, for each lane l with an entry: sum[l] = fma(value, x[column], sum[l])
// and after the slices, in CSR, rows that are much longer than the others (long_rows.hpp).
// Lanes without an entry may load x[0] or a table's value, but their sum is kept as it was.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernels/bits.hpp"
#include "kernels/cpu/asell_code.hpp"
#include "kernels/cpu/asell_values.hpp"
#include "kernels/cpu/avx2.hpp"
#include "kernels/cpu/avx512.hpp"
#include "kernels/cpu/lanes.hpp"
#include "kernels/cpu/long_rows.hpp"
#include "kernels/cpu/parts.hpp"
#include "kernels/cpu/sliced_rows.hpp"
#include "kernels/fixed_point.hpp"
#include "kernels/product_arguments.hpp"

namespace rowhalo::cpu_asell {

/// What a product knows of a slice.
struct AsellSlice {
  Offset slot;   ///< its first
  Offset index;  ///< its first byte of indices
  LocalIndex base_or_full;
  IndexCode code;
};

template <class T>
struct AsellArguments : ProductArguments<T> {
  SlicedRowsView rows;
  const AsellSlice* slices;  ///< one more behind the last
  const std::byte* indices;
  bool far;  ///< they and the values do not stay in L2
  int block;
  const T* values;                   ///< one per slot, or
  const std::uint16_t* fixed_codes;  ///< one per slot of these, or
  FixedPointCode<T> fixed;
  const std::uint8_t* codes;  ///< one per slot that names one of
  const T* table;             ///< 64 bytes of values, or one for all slots where all are null
  std::int64_t columns;
  std::int64_t slice_count;
  LongRowsView<T> long_rows;
};

template <class T, int vector_bytes, Gather gather, class Values>
struct AsellLoops {
  static constexpr int width = vector_bytes / sizeof(T);
  static constexpr int groups = strip_lanes / width;
  using Vector [[gnu::vector_size(vector_bytes)]] = T;

#if defined(__x86_64__)
  static constexpr bool has_avx512 = vector_bytes == 64, has_avx2 = vector_bytes == 32;
#else
  static constexpr bool has_avx512 = false, has_avx2 = false;
#endif
  const AsellArguments<T>& a;
  const Values& values;
  Vector sums[groups] = {};

  /// Bit l of `has` says whether lane l of the group has an entry.
  template <Slots slots>
  [[gnu::always_inline]] void add(int group, Offset slot, const Vector& x, StripMask has) {
    Vector own;
    values.load(slot, group, own);
    if constexpr (slots == Slots::entries) {
      add_products(reinterpret_cast<const T*>(&own), x, sums[group]);
    } else {
      add_masked(reinterpret_cast<const T*>(&own), x, has, sums[group]);
    }
  }

  /// Consecutive rows and an offset: x is read in order.
  template <Slots slots>
  [[gnu::always_inline]] void add_strip(Offset slot, const T* x, StripMask mask) {
#pragma GCC unroll 32
    for (int g = 0; g < groups; ++g) {
      Vector own;
      std::memcpy(&own, x + g * width, sizeof(own));
      add<slots>(g, slot, own, mask >> (g * width));
    }
  }

  [[gnu::always_inline]] void strip_slice(const AsellSlice& slice, LocalIndex first_row,
                                          const OffsetStep* step, const OffsetStep* end) {
    Offset slot = slice.slot;
    for (; step < end; ++step, slot += strip_lanes) {
      const std::int64_t column = std::int64_t{first_row} + step->offset;
      if (step->mask == whole_strip) {
        add_strip<Slots::entries>(slot, a.x + column, whole_strip);
        continue;
      }
      alignas(64) T copy[strip_lanes];
      const bool inside = column >= 0 && column + strip_lanes <= a.columns;
      if (!inside) copy_masked(a.x, column, step->mask, copy);
      add_strip<Slots::may_be_empty>(slot, inside ? a.x + column : copy, step->mask);
    }
  }

  /// x by its columns, which are in bounds.
  template <Slots slots>
  [[gnu::always_inline]] void add_gathered(int group, Offset slot, const LocalIndex* columns,
                                           StripMask has) {
    Vector own;
    gather_lanes<gather>(a.x, columns, own);
    add<slots>(group, slot, own, has);
  }

  template <Slots slots>
  [[gnu::always_inline]] void add_anchored(Offset slot, const LocalIndex* anchors,
                                           OffsetStep step) {
#pragma GCC unroll 32
    for (int g = 0; g < groups; ++g) {
      Vector own;
      if constexpr (slots == Slots::may_be_empty) {
#pragma GCC unroll 32
        for (int l = 0; l < width; ++l) {
          own[l] = (step.mask >> (g * width + l) & 1) != 0
                       ? a.x[anchors[g * width + l] + step.offset]
                       : T{0};
        }
      } else {
        gather_lanes<gather>(a.x + step.offset, anchors + g * width, own);
      }
      add<slots>(g, slot, own, step.mask >> (g * width));
    }
  }

  [[gnu::always_inline]] void anchored_slice(const AsellSlice& slice, const LocalIndex* rows,
                                             const OffsetStep* step, const OffsetStep* end) {
    LocalIndex anchors[strip_lanes];
    for (LocalIndex l = 0; l < strip_lanes; ++l) anchors[l] = anchor_of(rows[l], a.block);
    Offset slot = slice.slot;
    for (; step < end; ++step, slot += strip_lanes) {
      if (step->mask == whole_strip) {
        add_anchored<Slots::entries>(slot, anchors, *step);
      } else {
        add_anchored<Slots::may_be_empty>(slot, anchors, *step);
      }
    }
  }

  /// Which lanes have an entry: whose column or distance is not all ones.
  template <class Index>
  [[gnu::always_inline]] static StripMask present(const Index* indices) {
    if constexpr (has_avx2) {
      return avx2::present(indices);
    } else {
      StripMask result = 0;
      for (int l = 0; l < strip_lanes; ++l) {
        result |= StripMask{indices[l] != static_cast<Index>(-1)} << l;
      }
      return result;
    }
  }

  /// A step of columns, in bounds where `has` says that there is an entry.
  [[gnu::always_inline]] void add_columns(Offset slot, const LocalIndex* columns, StripMask has) {
    if (has == whole_strip) {
#pragma GCC unroll 32
      for (int g = 0; g < groups; ++g) {
        add_gathered<Slots::entries>(g, slot, columns + g * width, 0);
      }
      return;
    }
    LocalIndex inside[strip_lanes];
    for (int l = 0; l < strip_lanes; ++l) inside[l] = (has >> l & 1) != 0 ? columns[l] : 0;
#pragma GCC unroll 32
    for (int g = 0; g < groups; ++g) {
      add_gathered<Slots::may_be_empty>(g, slot, inside + g * width, has >> (g * width));
    }
  }

  template <class Delta>
  [[gnu::always_inline]] void delta_slice(const AsellSlice& slice, const LocalIndex* rows,
                                          const Delta* deltas, Offset end) {
    LocalIndex columns[strip_lanes];
    for (LocalIndex l = 0; l < strip_lanes; ++l) {
      columns[l] = column_before(rows[l], slice.base_or_full);
    }
    const auto all_columns = static_cast<std::uint32_t>(a.columns);
    for (Offset slot = slice.slot; slot < end; slot += strip_lanes, deltas += strip_lanes) {
      if constexpr (has_avx512) {
#pragma GCC unroll 32
        for (int g = 0; g < groups; ++g) {
          LocalIndex inside[width];
          const StripMask has =
              avx512::advance<width>(deltas + g * width, columns + g * width, inside, all_columns);
          add_gathered<Slots::may_be_empty>(g, slot, inside, has);
        }
      } else {
        if (a.far) {
          // Where distances take a byte, x is near, and a core keeps up with them by itself.
          if constexpr (sizeof(Delta) > 1) ask_for_later_step(deltas);
          values.ask_ahead(slot);
        }
        for (int l = 0; l < strip_lanes; ++l) {
          const auto next = static_cast<std::uint32_t>(columns[l]) + deltas[l];
          columns[l] = static_cast<LocalIndex>(std::min(next, next - all_columns));
        }
        add_columns(slot, columns, present(deltas));
      }
    }
  }

  /// x does not stay in L2.
  bool far_x() const {
    return a.columns * static_cast<std::int64_t>(sizeof(T)) > l2_bytes;
  }

  /// Where the columns end that are known from those of a slice on: its own, and the next slice's
  /// where that has columns, too.
  [[gnu::always_inline]] const LocalIndex* columns_end(const AsellSlice* slice) const {
    const AsellSlice* end = slice[1].code == IndexCode::columns ? slice + 2 : slice + 1;
    return reinterpret_cast<const LocalIndex*>(a.indices + end->index);
  }

  /// Asks for entries of x that later steps read, into L2: columns are known long before, but a
  /// core looks only some hundred instructions ahead and waits for few misses of L1 at a time.
  [[gnu::always_inline]] void prefetch_strip(const LocalIndex* columns,
                                             const LocalIndex* known_end) const {
    constexpr int steps_ahead = 6;
    columns += steps_ahead * strip_lanes;
    if (known_end - columns < strip_lanes) return;
    constexpr int read = 0, into_l2 = 2;
#pragma GCC unroll 32
    for (int l = 0; l < strip_lanes; ++l) __builtin_prefetch(a.x + columns[l], read, into_l2);
  }

  /// x that stays in L2 is not asked for, nor x that the gather instruction reads.
  [[gnu::always_inline]] void columns_slice(const AsellSlice& slice, const LocalIndex* columns,
                                            Offset end) {
    Offset slot = slice.slot;
    const Offset masked = slot + Offset{slice.base_or_full} * strip_lanes;
    const bool asks = gather == Gather::loads && far_x();
    const LocalIndex* known_end = asks ? columns_end(&slice) : columns;
    for (; slot < masked; slot += strip_lanes, columns += strip_lanes) {
      prefetch_strip(columns, known_end);
#pragma GCC unroll 32
      for (int g = 0; g < groups; ++g) {
        add_gathered<Slots::entries>(g, slot, columns + g * width, 0);
      }
    }
    for (; slot < end; slot += strip_lanes, columns += strip_lanes) {
      prefetch_strip(columns, known_end);
      if constexpr (has_avx512) {
#pragma GCC unroll 32
        for (int g = 0; g < groups; ++g) {
          LocalIndex inside[width];
          const StripMask has = avx512::not_negative<width>(columns + g * width, inside);
          add_gathered<Slots::may_be_empty>(g, slot, inside, has);
        }
      } else {
        add_columns(slot, columns, present(columns));
      }
    }
  }

  /// The rows of a whole slice, in `own` where they are not listed.
  [[gnu::always_inline]] const LocalIndex* rows_of(LocalIndex first, LocalIndex* own) const {
    if (first < 0) return a.rows.scattered + ~first;
    for (LocalIndex l = 0; l < strip_lanes; ++l) own[l] = first + l;
    return own;
  }

  [[gnu::always_inline]] void whole_slice(std::int64_t number) {
    const AsellSlice& slice = a.slices[number];
    const std::byte* indices = a.indices + slice.index;
    const Offset end = a.slices[number + 1].slot;
    const LocalIndex first = a.rows.first[number];
    LocalIndex own_rows[strip_lanes];
    switch (slice.code) {
      case IndexCode::offsets: {
        const auto* steps = reinterpret_cast<const OffsetStep*>(indices);
        const auto* steps_end = steps + (end - slice.slot) / strip_lanes;
        if (a.block == 1 && first >= 0) {
          strip_slice(slice, first, steps, steps_end);
        } else {
          anchored_slice(slice, rows_of(first, own_rows), steps, steps_end);
        }
        break;
      }
      case IndexCode::distances8:
        delta_slice(slice, rows_of(first, own_rows), reinterpret_cast<const std::uint8_t*>(indices),
                    end);
        break;
      case IndexCode::distances16:
        delta_slice(slice, rows_of(first, own_rows),
                    reinterpret_cast<const std::uint16_t*>(indices), end);
        break;
      case IndexCode::columns:
        columns_slice(slice, reinterpret_cast<const LocalIndex*>(indices), end);
        break;
    }
    T result[strip_lanes];
    std::memcpy(result, sums, sizeof(result));
    finish_slice(a.rows, number, result, strip_lanes, a.alpha, a.beta, a.y);
  }

  /// The last slice, of fewer rows: one row after the other.
  [[gnu::always_inline]] void partial_slice(std::int64_t number, LocalIndex lanes) {
    const AsellSlice& slice = a.slices[number];
    const auto* columns = reinterpret_cast<const LocalIndex*>(a.indices + slice.index);
    const Offset slots = a.slices[number + 1].slot - slice.slot;
    T result[strip_lanes];
    for (LocalIndex l = 0; l < lanes; ++l) {
      T sum = 0;
      for (Offset k = l; k < slots && columns[k] != padding; k += lanes) {
        sum = fused_multiply_add(values[slice.slot + k], a.x[columns[k]], sum);
      }
      result[l] = sum;
    }
    finish_slice(a.rows, number, result, lanes, a.alpha, a.beta, a.y);
  }
};

template <class T, Gather gather>
struct AsellBody {
  using Arguments = AsellArguments<T>;

  template <int vector_bytes, class Values>
  [[gnu::always_inline]] static void run_slices(const Arguments& a, const Values& values,
                                                std::int64_t begin, std::int64_t end) {
    const std::int64_t whole = std::min<std::int64_t>(end, a.rows.count / strip_lanes);
    for (std::int64_t slice = begin; slice < whole; ++slice) {
      AsellLoops<T, vector_bytes, gather, Values>{a, values}.whole_slice(slice);
    }
    if (begin < end && whole < end) {
      AsellLoops<T, vector_bytes, gather, Values>{a, values}.partial_slice(
          whole, a.rows.count % strip_lanes);
    }
  }

  /// Slices, then groups of long rows, [begin, end).
  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const Arguments a = arguments;  // a copy that y cannot alias
    if (end > a.slice_count) {
      const std::int64_t first = std::max(begin, a.slice_count);
      multiply_long_rows<T>(a.long_rows, a, first - a.slice_count, end - a.slice_count);
      end = first;
    }
    if (a.values != nullptr)
      return run_slices<vector_bytes>(a, StoredValues<T>{a.values}, begin, end);
    if (a.fixed_codes != nullptr) {
      return run_slices<vector_bytes>(a, FixedValues<T>{a.fixed_codes, a.fixed}, begin, end);
    }
#if defined(__x86_64__)
    if constexpr (vector_bytes > 16) {
      if (a.codes != nullptr) {
        return run_slices<vector_bytes>(a, TableValues<T>{a.codes, a.table}, begin, end);
      }
    }
#endif
    run_slices<vector_bytes>(a, ConstantValue<T>{*a.table}, begin, end);
  }
};

}  // namespace rowhalo::cpu_asell

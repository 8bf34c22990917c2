// SPDX-License-Identifier: BSD-3-Clause
//
// asell (asell.cpp) times several vectors: hands its slices to several_slices.hpp. Offsets of
// consecutive rows, columns and values go as they are stored; other codes are decoded first, some
// steps of 32 rows at a time, which takes a small part of what K multiplications take.
#pragma once

#include "kernels/cpu/asell_kernel.hpp"
#include "kernels/cpu/several_slices.hpp"

namespace rowhalo::cpu_asell {

template <class T>
struct AsellSeveralArguments : SliceArguments<T> {
  AsellArguments<T> asell;
  SeveralSlices<T> multiply;
};

template <class T>
struct AsellDecoding {
  using Arguments = AsellSeveralArguments<T>;

  /// Buffers of one piece, and the columns that the distances of a slice have come to.
  struct Decoded {
    alignas(64) T values[decoded_steps * strip_lanes];
    alignas(64) LocalIndex columns[decoded_steps * strip_lanes];
    alignas(64) T sums[strip_lanes * most_vectors];
    alignas(64) LocalIndex rows[strip_lanes], now[strip_lanes];
  };

  /// `slots` values from `first` on.
  [[gnu::always_inline]] static void decode_values(const AsellArguments<T>& a, Offset first,
                                                   std::int64_t slots, T* values) {
    if (a.fixed_codes != nullptr) {
      for (std::int64_t k = 0; k < slots; ++k) values[k] = a.fixed.value(a.fixed_codes[first + k]);
    } else if (a.codes != nullptr) {
      for (std::int64_t k = 0; k < slots; ++k) values[k] = a.table[a.codes[first + k]];
    } else {
      std::fill_n(values, slots, *a.table);
    }
  }

  /// now: the anchors of the rows.
  [[gnu::always_inline]] static void decode_offsets(const OffsetStep* steps, std::int64_t count,
                                                    Decoded& d) {
    for (std::int64_t s = 0; s < count; ++s) {
      for (LocalIndex l = 0; l < strip_lanes; ++l) {
        const bool has = (steps[s].mask & StripMask{1} << l) != 0;
        d.columns[s * strip_lanes + l] = has ? d.now[l] + steps[s].offset : padding;
      }
    }
  }

  template <class Delta>
  [[gnu::always_inline]] static void decode_distances(const Delta* deltas, std::int64_t count,
                                                      std::int64_t all_columns, Decoded& d) {
    for (std::int64_t s = 0; s < count; ++s, deltas += strip_lanes) {
      for (LocalIndex l = 0; l < strip_lanes; ++l) {
        const std::uint32_t next = static_cast<std::uint32_t>(d.now[l]) + deltas[l];
        d.now[l] =
            static_cast<LocalIndex>(std::min(next, next - static_cast<std::uint32_t>(all_columns)));
        d.columns[s * strip_lanes + l] = deltas[l] != escape<Delta> ? d.now[l] : padding;
      }
    }
  }

  /// Steps [begin, begin + count) of a slice whose columns are coded.
  [[gnu::always_inline]] static void decode_columns(const Arguments& a, const AsellSlice& slice,
                                                    std::int64_t begin, std::int64_t count,
                                                    Decoded& d) {
    const std::byte* indices = a.asell.indices + slice.index;
    if (begin == 0) {
      for (LocalIndex l = 0; l < strip_lanes; ++l) {
        d.now[l] = slice.code == IndexCode::offsets ? anchor_of(d.rows[l], a.asell.block)
                                                    : column_before(d.rows[l], slice.base_or_full);
      }
    }
    if (slice.code == IndexCode::offsets) {
      decode_offsets(reinterpret_cast<const OffsetStep*>(indices) + begin, count, d);
    } else if (slice.code == IndexCode::distances8) {
      decode_distances(reinterpret_cast<const std::uint8_t*>(indices) + begin * strip_lanes, count,
                       a.asell.columns, d);
    } else {
      decode_distances(reinterpret_cast<const std::uint16_t*>(indices) + begin * strip_lanes, count,
                       a.asell.columns, d);
    }
  }

  [[gnu::always_inline]] static void multiply_slice(Arguments& a, std::int64_t number, Decoded& d) {
    const AsellSlice& slice = a.asell.slices[number];
    const std::byte* indices = a.asell.indices + slice.index;
    SlicePiece<T>& piece = a.piece;
    const std::int64_t first = number * strip_lanes;
    piece.lanes =
        static_cast<LocalIndex>(std::min<std::int64_t>(strip_lanes, a.asell.rows.count - first));
    piece.set_rows(a.asell.rows, number);
    for (LocalIndex l = 0; l < piece.lanes; ++l) {
      d.rows[l] = piece.rows == nullptr ? piece.first_row + l : piece.rows[l];
    }
    const std::int64_t steps = (a.asell.slices[number + 1].slot - slice.slot) / piece.lanes;
    const bool has_columns = slice.code == IndexCode::columns;
    const bool has_offsets =
        slice.code == IndexCode::offsets && a.asell.block == 1 && piece.rows == nullptr;
    const bool has_values = a.asell.values != nullptr;
    const bool is_stored = (has_columns || has_offsets) && has_values;
    std::int64_t begin = 0;
    do {
      piece.steps = is_stored ? steps : std::min(decoded_steps, steps - begin);
      piece.begins = begin == 0;
      piece.ends = begin + piece.steps == steps;
      const Offset slot = begin * piece.lanes;
      piece.values = has_values ? a.asell.values + slice.slot + slot : d.values;
      if (!has_values) {
        decode_values(a.asell, slice.slot + slot, piece.steps * piece.lanes, d.values);
      }
      piece.offsets = has_offsets ? reinterpret_cast<const OffsetStep*>(indices) + begin : nullptr;
      piece.columns = has_columns ? reinterpret_cast<const LocalIndex*>(indices) + slot : d.columns;
      piece.full = has_columns ? std::max<std::int64_t>(slice.base_or_full - begin, 0) : 0;
      piece.full = std::min(piece.full, piece.steps);
      if (!has_columns && !has_offsets) decode_columns(a, slice, begin, piece.steps, d);
      a.multiply(a, 0, piece.lanes);
      begin += piece.steps;
    } while (begin < steps);
  }

  /// Slices [begin, end).
  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    Arguments a = arguments;
    Decoded decoded;
    a.piece.sums = decoded.sums;
    for (std::int64_t slice = begin; slice < end; ++slice) multiply_slice(a, slice, decoded);
  }
};

}  // namespace rowhalo::cpu_asell

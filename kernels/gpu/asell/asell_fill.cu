// SPDX-License-Identifier: BSD-3-Clause
//
// Writes the codes of asell (asell.hpp), then its values, where asell_measure.cu has made room:
// each lane walks its row, slot after slot, so that a warp writes one stretch of memory a step.
// Values follow the codes, which say what slots have an entry: new values need no more than that.
#include <bit>
#include <type_traits>

#include "kernels/gpu/asell/asell_rows.cuh"
#include "kernels/gpu/conversion/row_tiles.cuh"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/values/positions.cuh"
#include "kernels/gpu/warp/bits.cuh"

namespace rowhalo {
namespace {

struct FillArguments {
  CsrView matrix;
  RowListView rows;
  std::int64_t slices;
  const AsellSlice* described;
  const OffsetStep* patterns;
  std::uint32_t* words;
  void* values;
  const void* table;
  int table_size;
  FixedPoint fixed;
  int* collision;  ///< raised where two patterns share a hash
};

/// Where the numbers of a lane go, slot after slot.
template <class Word, ValueCode code>
class ValueWriter {
 public:
  __device__ ValueWriter(const FillArguments& a, std::uint64_t first)
      : table_(static_cast<const Word*>(a.table)), table_size_(a.table_size), fixed_(a.fixed) {
    void* const values = a.values;
    const std::uint64_t place = first * warp_size + lane_number();
    if constexpr (code == ValueCode::plain) numbers_ = static_cast<Word*>(values) + place;
    if constexpr (code == ValueCode::fixed) codes_ = static_cast<std::uint16_t*>(values) + place;
    if constexpr (code == ValueCode::dictionary) {
      words_ = static_cast<std::uint32_t*>(values) + place;
    }
  }

  __device__ void put(Word number) {
    if constexpr (code == ValueCode::plain) {
      *numbers_ = number;
      numbers_ += warp_size;
    } else if constexpr (code == ValueCode::dictionary) {
      word_ |= position_of(number, table_, table_size_) << (8 * filled_);
      if (++filled_ == values_per_word) finish();
    } else if constexpr (code == ValueCode::fixed) {
      *codes_ = fixed_.code(std::bit_cast<Number>(number));
      codes_ += warp_size;
    }
  }

  /// Writes what is left.
  __device__ void finish() {
    if constexpr (code == ValueCode::dictionary) {
      if (filled_ == 0) return;
      *words_ = word_;
      words_ += warp_size;
      word_ = 0;
      filled_ = 0;
    }
  }

 private:
  using Number = std::conditional_t<sizeof(Word) == 8, double, float>;

  const Word* table_;
  int table_size_;
  FixedPointCode<Number> fixed_;
  Word* numbers_ = nullptr;
  std::uint16_t* codes_ = nullptr;
  std::uint32_t* words_ = nullptr;
  std::uint32_t word_ = 0;
  int filled_ = 0;
};

/// Compares the slice with its pattern and, by_step, the value of each step.
template <class Word, bool by_step>
__device__ void check_offsets(const FillArguments& a, const AsellSlice& slice, const Lane& lane) {
  const OffsetStep* step = a.patterns + slice.codes;
  const OffsetStep* end = step + slice.steps();
  bool same = true;
  merge_rows(a.matrix, lane, [&](LocalIndex offset, unsigned mask, bool here, Offset e) {
    same = step != end && step->offset == offset && step->mask == mask;
    if constexpr (by_step) {
      const ValuedStep* valued = static_cast<const ValuedStep*>(a.values) + (step - a.patterns);
      const bool fits =
          !here || (same && valued->value_bits == static_cast<const Word*>(a.matrix.values)[e]);
      same = __all_sync(all_lanes, fits) != 0 && same;
    }
    ++step;
    return same;
  });
  if (!same || step != end) *a.collision = 1;
}

/// Of a code of 8 or 16 bits.
template <IndexCode code>
__device__ void fill_distances(const FillArguments& a, const AsellSlice& slice, const Lane& lane) {
  constexpr int per_word = codes_per_word(code), bits = 32 / per_word;
  constexpr LocalIndex ones = (1 << bits) - 1;
  std::uint32_t* words = a.words + std::int64_t{slice.codes} * warp_size + lane_number();
  LocalIndex before = lane.row + slice.base;
  Offset e = lane.begin;
  const auto steps = static_cast<int>(slice.steps());
  for (int first = 0; first < steps; first += per_word, words += warp_size) {
    std::uint32_t word = 0;
#pragma unroll
    for (int u = 0; u < per_word; ++u) {
      const LocalIndex gap = e < lane.end ? a.matrix.indices[e] - before : ones;
      const LocalIndex distance = min(gap, ones);
      const bool here = distance < ones;
      word |= static_cast<std::uint32_t>(distance) << (u * bits);
      before += distance;
      if (here) ++e;
    }
    *words = word;
  }
}

__device__ void fill_columns(const FillArguments& a, const AsellSlice& slice, const Lane& lane) {
  std::uint32_t* words = a.words + std::int64_t{slice.codes} * warp_size + lane_number();
  const auto steps = static_cast<int>(slice.steps());
  for (int step = 0; step < steps; ++step, words += warp_size) {
    const Offset e = lane.begin + step;
    const bool here = e < lane.end;
    *words = static_cast<std::uint32_t>(here ? a.matrix.indices[e] : -1);
  }
}

template <class Word, bool by_step>
__global__ void fill_asell_codes(FillArguments a) {
  const std::int64_t number = slice_number();
  if (number >= a.slices) return;
  const Lane lane = lane_of(a.matrix, a.rows, number);
  const AsellSlice slice = a.described[number];
  switch (slice.code()) {
    case IndexCode::offsets:
      return check_offsets<Word, by_step>(a, slice, lane);
    case IndexCode::distances8:
      return fill_distances<IndexCode::distances8>(a, slice, lane);
    case IndexCode::distances16:
      return fill_distances<IndexCode::distances16>(a, slice, lane);
    case IndexCode::columns:
      return fill_columns(a, slice, lane);
  }
}

/// Whether a lane has an entry at a step of a slice, by what fill_asell_codes() has written.
template <IndexCode code>
class Presence {
 public:
  __device__ Presence(const FillArguments& a, const AsellSlice& slice, const Lane& lane)
      : patterns_(a.patterns + slice.codes),
        words_(a.words + std::int64_t{slice.codes} * warp_size + lane_number()),
        length_(lane.end - lane.begin) {}

  __device__ bool operator()(int step) const {
    if constexpr (code == IndexCode::offsets) {
      return (cached(&patterns_[step].mask) >> lane_number() & 1) != 0;
    } else if constexpr (code == IndexCode::columns) {
      return step < length_;
    } else {
      constexpr int per_word = codes_per_word(code), bits = 32 / per_word;
      constexpr std::uint32_t ones = (1u << bits) - 1;
      const std::uint32_t word = cached(words_ + std::int64_t{step / per_word} * warp_size);
      return (word >> (step % per_word * bits) & ones) != ones;
    }
  }

 private:
  const OffsetStep* patterns_;
  const std::uint32_t* words_;
  Offset length_;
};

template <IndexCode code, class Word, class Writer>
__device__ void copy_lane(const FillArguments& a, const AsellSlice& slice, const Lane& lane,
                          Writer& writer) {
  constexpr int depth = 16;
  const Presence<code> present(a, slice, lane);
  RowTile<Word, depth> tile;
  Offset next = lane.begin;
  const auto steps = static_cast<int>(slice.steps());
  for (int first = 0; first < steps; first += depth) {
    tile.load(static_cast<const Word*>(a.matrix.values), next, lane.end);
    const int end = min(first + depth, steps);
    int taken = 0;
#pragma unroll 4
    for (int step = first; step < end; ++step) {
      const bool here = present(step);
      writer.put(here ? tile[taken] : Word{0});
      if (here) ++taken;
    }
    next += taken;
  }
  writer.finish();
}

template <class Word, ValueCode value_code>
__global__ void copy_asell_values(FillArguments a) {
  const std::int64_t number = slice_number();
  if (number >= a.slices) return;
  const Lane lane = lane_of(a.matrix, a.rows, number);
  const AsellSlice slice = a.described[number];
  ValueWriter<Word, value_code> writer(a, slice.values);
  switch (slice.code()) {
    case IndexCode::offsets:
      return copy_lane<IndexCode::offsets, Word>(a, slice, lane, writer);
    case IndexCode::distances8:
      return copy_lane<IndexCode::distances8, Word>(a, slice, lane, writer);
    case IndexCode::distances16:
      return copy_lane<IndexCode::distances16, Word>(a, slice, lane, writer);
    case IndexCode::columns:
      return copy_lane<IndexCode::columns, Word>(a, slice, lane, writer);
  }
}

using FillKernel = void (*)(FillArguments);

/// Null where no value has a slot.
template <class Word>
FillKernel value_kernel(ValueCode code) {
  constexpr auto fixed = sizeof(Word) < sizeof(float) ? ValueCode::plain : ValueCode::fixed;
  return code == ValueCode::plain        ? copy_asell_values<Word, ValueCode::plain>
         : code == ValueCode::dictionary ? copy_asell_values<Word, ValueCode::dictionary>
         : code == ValueCode::fixed      ? copy_asell_values<Word, fixed>
                                         : nullptr;
}

FillArguments fill_arguments(const CsrView& matrix, RowListView rows, const AsellLayout& layout) {
  return {matrix,
          rows,
          layout.slices.size(),
          layout.slices.data(),
          layout.patterns.data(),
          layout.words.data(),
          layout.values.data(),
          layout.table.data(),
          static_cast<int>(layout.distinct_values),
          layout.fixed,
          nullptr};
}

}  // namespace

PatternCheck fill_asell(const CsrView& matrix, RowListView rows, const AsellLayout& layout) {
  if (layout.slices.size() == 0) return PatternCheck::passed;
  const auto collision = filled_array<int>(1);
  FillArguments arguments = fill_arguments(matrix, rows, layout);
  arguments.collision = collision.data();
  with_word(matrix_value_bytes(matrix.precision), [&]<class Word>(Word) {
    const bool by_step = layout.value_code == ValueCode::by_step;
    const FillKernel kernel =
        by_step ? fill_asell_codes<Word, true> : fill_asell_codes<Word, false>;
    launch_items(walking_in({}), kernel, arguments.slices * warp_size, arguments);
  });
  if (collision.back() != 0) return PatternCheck::collision;
  fill_asell_values(matrix, rows, layout, {});
  return PatternCheck::passed;
}

void fill_asell_values(const CsrView& matrix, RowListView rows, const AsellLayout& layout,
                       Stream stream) {
  const FillArguments arguments = fill_arguments(matrix, rows, layout);
  with_word(matrix_value_bytes(matrix.precision), [&]<class Word>(Word) {
    const FillKernel kernel = value_kernel<Word>(layout.value_code);
    if (kernel != nullptr) {
      launch_items({native(stream)}, kernel, arguments.slices * warp_size, arguments);
    }
  });
}

}  // namespace rowhalo

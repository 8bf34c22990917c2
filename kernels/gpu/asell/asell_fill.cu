// SPDX-License-Identifier: BSD-3-Clause
//
// Writes the codes and values of asell (asell.hpp) where asell_measure.cu has made room: each lane
// walks its row, slot after slot, so that a warp writes one stretch of memory a step.
#include <bit>
#include <type_traits>

#include "kernels/gpu/asell/asell_rows.cuh"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/values/positions.cuh"

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
    if constexpr (code == ValueCode::by_step) valued_ = static_cast<ValuedStep*>(values);
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

  /// Whether the lanes with an entry have the value of step `k` of all patterns.
  __device__ bool fits(std::int64_t k, bool here, Word number) const {
    if constexpr (code != ValueCode::by_step) return true;
    return __all_sync(all_lanes, !here || valued_[k].value_bits == number) != 0;
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
  const ValuedStep* valued_ = nullptr;
  std::uint32_t* words_ = nullptr;
  std::uint32_t word_ = 0;
  int filled_ = 0;
};

template <class Word, class Writer>
__device__ void fill_offsets(const FillArguments& a, const AsellSlice& slice, const Lane& lane,
                             Writer& writer) {
  const OffsetStep* step = a.patterns + slice.codes;
  const OffsetStep* end = step + slice.steps();
  bool same = true;
  merge_rows(a.matrix, lane, [&](LocalIndex offset, unsigned mask, bool here, Offset e) {
    const Word number = here ? static_cast<const Word*>(a.matrix.values)[e] : Word{0};
    same = step != end && step->offset == offset && step->mask == mask &&
           writer.fits(step - a.patterns, here, number);
    ++step;
    if (same) writer.put(number);
    return same;
  });
  if (!same || step != end) *a.collision = 1;
}

template <IndexCode code, class Word, class Writer>
__device__ void fill_distances(const FillArguments& a, const AsellSlice& slice, const Lane& lane,
                               Writer& writer) {
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
      if (first + u < steps) {
        writer.put(here ? static_cast<const Word*>(a.matrix.values)[e] : Word{0});
      }
      if (here) ++e;
    }
    *words = word;
  }
}

template <class Word, class Writer>
__device__ void fill_columns(const FillArguments& a, const AsellSlice& slice, const Lane& lane,
                             Writer& writer) {
  std::uint32_t* words = a.words + std::int64_t{slice.codes} * warp_size + lane_number();
  const auto steps = static_cast<int>(slice.steps());
  for (int step = 0; step < steps; ++step, words += warp_size) {
    const Offset e = lane.begin + step;
    const bool here = e < lane.end;
    *words = static_cast<std::uint32_t>(here ? a.matrix.indices[e] : -1);
    writer.put(here ? static_cast<const Word*>(a.matrix.values)[e] : Word{0});
  }
}

template <class Word, ValueCode value_code>
__global__ void fill_asell_slices(FillArguments a) {
  const std::int64_t number = slice_number();
  if (number >= a.slices) return;
  const Lane lane = lane_of(a.matrix, a.rows, number);
  const AsellSlice slice = a.described[number];
  ValueWriter<Word, value_code> writer(a, slice.values);
  switch (slice.code()) {
    case IndexCode::offsets:
      fill_offsets<Word>(a, slice, lane, writer);
      break;
    case IndexCode::distances8:
      fill_distances<IndexCode::distances8, Word>(a, slice, lane, writer);
      break;
    case IndexCode::distances16:
      fill_distances<IndexCode::distances16, Word>(a, slice, lane, writer);
      break;
    case IndexCode::columns:
      fill_columns<Word>(a, slice, lane, writer);
      break;
  }
  writer.finish();
}

/// By ValueCode.
template <class Word>
constexpr void (*fill_kernels[])(FillArguments) = {
    fill_asell_slices<Word, ValueCode::plain>, fill_asell_slices<Word, ValueCode::dictionary>,
    fill_asell_slices<Word, ValueCode::constant>, fill_asell_slices<Word, ValueCode::by_step>,
    fill_asell_slices<Word, sizeof(Word) < sizeof(float) ? ValueCode::plain : ValueCode::fixed>};

}  // namespace

PatternCheck fill_asell(const CsrView& matrix, RowListView rows, const AsellLayout& layout) {
  const std::int64_t slices = layout.slices.size();
  if (slices == 0) return PatternCheck::passed;
  const auto collision = filled_array<int>(1);
  const FillArguments arguments{matrix,
                                rows,
                                slices,
                                layout.slices.data(),
                                layout.patterns.data(),
                                layout.words.data(),
                                layout.values.data(),
                                layout.table.data(),
                                static_cast<int>(layout.distinct_values),
                                layout.fixed,
                                collision.data()};
  with_word(matrix_value_bytes(matrix.precision), [&]<class Word>(Word) {
    fill_kernels<Word>[static_cast<int>(
        layout.value_code)]<<<blocks_for(slices * warp_size, conversion_threads),
                              conversion_threads, conversion_ballast>>>(arguments);
  });
  ROWHALO_CUDA(cudaGetLastError());
  return collision.back() == 0 ? PatternCheck::passed : PatternCheck::collision;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of asell on the GPU, which asell.cpp describes: what asell_measure.cu and
// asell_fill.cu make of CSR and asell.cu computes with. Device code and host code share it.
#pragma once

#include <cuda_runtime_api.h>

#include <array>

#include "kernels/asell_code.hpp"
#include "kernels/fixed_point.hpp"
#include "kernels/gpu/device/number_types.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// How the values of the local matrix are stored.
enum class ValueCode {
  plain,       ///< as numbers
  dictionary,  ///< 8 bits: position in a table of at most 256 numbers
  constant,    ///< not at all: there is one distinct number only
  by_step,     ///< one value for all rows of a step: a grid's equation with constant coefficients
  fixed,       ///< 16 bits, as fixed_point.hpp has them; of types that take coded values
};
/// Whether the kernel looks them up.
constexpr bool in_table(ValueCode code) {
  return code == ValueCode::dictionary || code == ValueCode::constant;
}

/// 32 rows. What a warp reads first, with one load.
struct alignas(16) AsellSlice {
  std::uint32_t values;  ///< steps of the slices before; dictionary: 32-bit words per lane
  std::uint32_t codes;  ///< offsets: first step in `patterns`; others: 32-bit words per lane before
  LocalIndex base;      ///< 8-bit, 16-bit: the distance of the first entry counts from row + base;
                        ///< values by_step: 1 where each row has each step
  std::uint32_t steps_and_code;

  constexpr std::uint32_t steps() const { return steps_and_code / index_codes; }
  constexpr IndexCode code() const { return static_cast<IndexCode>(steps_and_code % index_codes); }
};

/// Codes of 8 and 16 bits lie in words of 32 bits, 4 or 2 steps of a lane in each, lane beside
/// lane. A code of all ones advances by that much and holds no entry.
constexpr int codes_per_word(IndexCode code) {
  return code == IndexCode::distances8 ? 4 : code == IndexCode::distances16 ? 2 : 1;
}
inline constexpr int values_per_word = 4;  ///< of a dictionary

/// A step of code `offsets` whose rows all have the same value. One load.
struct alignas(16) ValuedStep {
  OffsetStep step;
  std::uint64_t value_bits;
};

struct AsellLayout {
  DeviceArray<AsellSlice> slices;
  DeviceArray<OffsetStep> patterns;  ///< of all slices that differ in them
  DeviceArray<std::uint32_t> words;  ///< codes
  DeviceMemory values;  ///< numbers, words of positions, codes of 16 bits, or ValuedStep
  DeviceMemory table;   ///< the distinct numbers of the local matrix, if coded
  FixedPoint fixed;     ///< what those codes mean
  ValueCode value_code = ValueCode::plain;
  std::int64_t steps = 0;            ///< of all slices
  std::int64_t value_rows = 0;       ///< numbers, words or codes of a lane in `values`, all slices
  std::int64_t code_rows = 0;        ///< the same in `words`
  std::int64_t distinct_values = 0;  ///< where values are coded
  std::array<std::int64_t, index_codes> slices_by_code{};

  std::int64_t slots() const { return steps * RowListView::group_size; }
  std::int64_t bytes() const {
    return slices.bytes() + patterns.bytes() + words.bytes() + values.bytes() + table.bytes();
  }
};

/// Chooses a code for each slice of the listed rows and gives it its place. `words`, `values` and
/// `table` are still to be made; values by_step are made. Where these are asked for and rows of a
/// slice differ in the value of a step, the layout is one for a dictionary. `seed` is that of the
/// hash which tells patterns apart.
AsellLayout measure_asell(const CsrView& matrix, RowListView rows, ValueCode value_code,
                          std::uint64_t seed);

enum class PatternCheck {
  passed,
  collision  ///< two patterns share a hash: measure again with another seed
};

/// Fills `words` and `values`, for which there is room.
PatternCheck fill_asell(const CsrView& matrix, RowListView rows, const AsellLayout& layout);

/// `values` alone, in the order of `stream`, once `words` are filled. Values by_step stay.
void fill_asell_values(const CsrView& matrix, RowListView rows, const AsellLayout& layout,
                       Stream stream);

template <class Numbers>
struct AsellArguments : ProductOf<Numbers> {
  const AsellSlice* slices;
  const OffsetStep* patterns;
  const std::uint32_t* words;
  const void* values;
  const typename Numbers::Matrix* table;
  unsigned table_size;  ///< at most most_distinct_values
  FixedPointCode<typename Numbers::Sum> fixed;
  RowListView rows;
  int block;     ///< of anchor_of()
  double* dots;  ///< per slice: the sum of x[row] y[row]; null: not wanted
};

/// Whether the kernel can sum x[row] y[row] along: x, y and the sum are fp64. Not with one distinct
/// value, of which few matrices of solvers are.
template <class Numbers>
constexpr bool sums_dot(ValueCode code) {
  return std::is_same_v<typename Numbers::Vector, double> &&
         std::is_same_v<typename Numbers::Sum, double> && code != ValueCode::constant;
}

template <class Numbers>
using AsellLaunch = void (*)(const AsellArguments<Numbers>& arguments, cudaStream_t stream);

/// How many steps of a slice a thread loads before it sums them.
enum class Unroll {
  low,     ///< few, and as many warps as there is room for: short slices, wide distances; values
           ///< by_step: of two slices at once
  medium,  ///< more, with three quarters of the warps; values in a table are asked for at the start
  high,    ///< with three eighths: long slices, or all at once; not for values in a table
  highest  ///< many, with less than a quarter: long slices, all at once; not for these either
};

/// What launches the kernel for values of that code.
template <class Numbers>
AsellLaunch<Numbers> asell_launch(ValueCode values, Unroll unroll);

/// The same for values by_step.
template <class Numbers>
AsellLaunch<Numbers> asell_by_step_launch(Unroll unroll);

/// The product of several vectors, with values of any code (asell_several.cu); there are rows. Of
/// fp64, fp32 and mixed.
template <class Numbers>
void launch_asell_several(const AsellArguments<Numbers>& arguments, ValueCode code,
                          const LocalProduct& product, cudaStream_t stream);

}  // namespace rowhalo

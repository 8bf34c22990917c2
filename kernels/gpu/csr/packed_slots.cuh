// SPDX-License-Identifier: BSD-3-Clause
//
// What the kernels of csr-packed read (csr_packed.cu): four slots per lane, with values stored in
// one of three ways.
#pragma once

#include "kernels/fixed_point.hpp"
#include "kernels/gpu/device/number_types.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "partition/base/row_list.hpp"

namespace rowhalo {

inline constexpr int lane_slots = 4;

/// What a lane loads at once.
template <class T>
using FourOf = Pack<T, lane_slots>;

/// A lane's values, as they are.
template <class Numbers>
struct StoredValues {
  const FourOf<typename Numbers::Matrix>* values;

  __device__ FourOf<typename Numbers::Matrix> of(std::int64_t lane) const { return values[lane]; }
};

/// A lane's values by their positions in a table, a byte each.
template <class Numbers>
struct CodedValues {
  const typename Numbers::Matrix* table;
  const unsigned* positions;  ///< null: the first of the table for all entries

  __device__ FourOf<typename Numbers::Matrix> of(std::int64_t lane) const {
    const unsigned word = positions != nullptr ? positions[lane] : 0;
    FourOf<typename Numbers::Matrix> four;
#pragma unroll
    for (int j = 0; j < lane_slots; ++j) four.at[j] = table[word >> (8 * j) & 0xff];
    return four;
  }
};

/// A lane's values as numbers of 16 bits.
template <class Numbers>
struct FixedValues {
  const FourOf<std::uint16_t>* codes;
  FixedPointCode<typename Numbers::Matrix> code;

  __device__ FourOf<typename Numbers::Matrix> of(std::int64_t lane) const {
    const FourOf<std::uint16_t> stored = codes[lane];
    FourOf<typename Numbers::Matrix> four;
#pragma unroll
    for (int j = 0; j < lane_slots; ++j) four.at[j] = code.value(stored.at[j]);
    return four;
  }
};

template <class Numbers, class Values>
struct PackedArguments : ProductOf<Numbers> {
  const FourOf<LocalIndex>* columns;  ///< -1 in a slot without an entry
  Values values;
  const unsigned* words;  ///< of each lane: bit j: a row ends at slot j; above: its first row
  RowListView rows;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What csr_balanced.cpp hands to the kernel in csr_balanced.cu.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/fixed_point.hpp"
#include "kernels/gpu/csr_balanced/balanced_plan.hpp"
#include "kernels/gpu/csr_balanced/columns16.hpp"
#include "kernels/gpu/device/number_types.hpp"

namespace rowhalo {

/// What a lane loads of a chunk at once: byte u is the position of entry 32 u + lane.
using ValuePositions = unsigned long long;

/// Few distinct values, or values of 16 bits, in CodeOrder::of_chunks (exact_values.hpp).
template <class Number>
struct CodedValuesView {
  const Number* table;              ///< null: there is none
  int table_size;                   ///< at most most_distinct_values
  const ValuePositions* positions;  ///< null: the first of the table for all entries
  const uint4* fixed;               ///< of each lane and chunk its eight codes of 16 bits, or null
  FixedPointCode<Number> fixed_code;
};

template <class Numbers>
struct BalancedArguments : ProductOf<Numbers> {
  BalancedView plan;
  const LocalIndex* indices;  ///< ~h in place of a column: the hub h
  Columns16View columns16;    ///< used instead of `indices` if not empty; excludes hubs
  const typename Numbers::Matrix* values;  ///< not read where they are coded
  CodedValuesView<typename Numbers::Sum> coded;
  const LocalIndex* hubs;  ///< their columns
  std::int32_t hub_count;
  /// Of each share: what it has of the split row that goes on at its begin, and at its end.
  typename Numbers::Sum* partial_sums;
  unsigned* arrived;  ///< shares of each split row that are done; 0 between products
};

/// Thread blocks and their threads: all of them run side by side, one thread block per
/// multiprocessor.
struct BalancedGrid {
  unsigned blocks = 0;
  int threads = warp_size;
};

/// Allows the kernels all shared memory of a thread block, on the current device.
template <class Numbers>
void prepare_balanced();

template <class Numbers>
void launch_balanced(const BalancedArguments<Numbers>& arguments, BalancedGrid grid,
                     cudaStream_t stream);

/// The product of several vectors (balanced_several.cu); arguments.partial_sums has room for
/// most_vectors in place of each sum. Of fp64, fp32 and mixed.
template <class Numbers>
void launch_balanced_several(const BalancedArguments<Numbers>& arguments,
                             const LocalProduct& product, cudaStream_t stream);

}  // namespace rowhalo

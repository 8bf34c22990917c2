// SPDX-License-Identifier: BSD-3-Clause
//
// What sell.cpp hands to the kernel in sell.cu.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gpu/device/number_types.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// Slices of 32 rows as convert.hpp makes them (Slices::Last::short_one).
template <class Numbers>
struct SellArguments : ProductOf<Numbers> {
  const Offset* begins;
  const LocalIndex* indices;
  const typename Numbers::Matrix* values;
  RowListView rows;
};

template <class Numbers>
using SellLaunch = void (*)(const SellArguments<Numbers>& arguments, int block,
                            cudaStream_t stream);

/// Steps of a slice that a thread may load before it sums them.
inline constexpr int smallest_unroll = 4, largest_unroll = 9;

/// What launches the kernel that has `unroll` steps under way.
template <class Numbers>
SellLaunch<Numbers> sell_launch(int unroll);

}  // namespace rowhalo

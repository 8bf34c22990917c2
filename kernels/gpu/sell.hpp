// SPDX-License-Identifier: BSD-3-Clause
//
// What sell.cpp hands to the kernel in sell.cu.
#pragma once

#include <cuda_runtime_api.h>

#include "partition/base/row_list.hpp"

namespace rowhalo {

/// Slices of 32 rows as convert.hpp makes them (Slices::Last::short_one).
template <class T>
struct SellArguments {
  const Offset* begins;
  const LocalIndex* indices;
  const T* values;
  RowListView rows;
  T alpha;
  const T* x;
  T beta;
  T* y;
};

template <class T>
using SellLaunch = void (*)(const SellArguments<T>& arguments, int block, cudaStream_t stream);

/// Steps of a slice that a thread may load before it sums them.
inline constexpr int smallest_flight = 4, largest_flight = 9;

/// What launches the kernel that has `flight` steps under way.
template <class T>
SellLaunch<T> sell_launch(int flight);

}  // namespace rowhalo

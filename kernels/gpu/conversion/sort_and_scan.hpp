// SPDX-License-Identifier: BSD-3-Clause
//
// Sorting, prefix sums and selection of whole arrays on the device, by CUB, for conversions. All
// run in the default stream and are done when they return. CUB is included in their one source file
// only: it takes longer to compile than most kernels.
#pragma once

#include "kernels/gpu/device/runtime.hpp"

namespace rowhalo {

template <class Key, class Index>
struct SortedKeys {
  DeviceArray<Key> keys;
  DeviceArray<Index> order;  ///< where each of them stood
};

/// The keys, rising; equal ones keep their order. Only the lowest `bits` of a key count. Key and
/// Index: std::uint64_t and LocalIndex, std::uint32_t both, or LocalIndex and std::int64_t.
template <class Index, class Key>
SortedKeys<Key, Index> sorted_order(const Key* keys, std::int64_t count,
                                    int bits = 8 * sizeof(Key));

/// Of each place the sum of all before it. T: Offset, LocalIndex, std::uint32_t or std::uint64_t.
template <class T>
DeviceArray<T> prefix_sum(const DeviceArray<T>& numbers);

/// The places of the flags that are not 0, ascending.
DeviceArray<std::int64_t> places_of_flags(const DeviceArray<unsigned char>& flags);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Sorting, prefix sums and selection of whole arrays on the device, by CUB, for conversions. All
// run in the default stream and are done when they return. CUB is included in their one source file
// only: it takes longer to compile than most kernels.
#pragma once

#include "kernels/gpu/device/runtime.hpp"

namespace rowhalo {

template <class Key, class Value>
struct SortedPairs {
  DeviceArray<Key> keys;
  DeviceArray<Value> values;
};

/// Pairs of keys[k] and values[k] by rising key, as many as there are values; equal keys keep their
/// order. Only the lowest `bits` of a key count.
SortedPairs<std::uint64_t, LocalIndex> sort_pairs(const std::uint64_t* keys,
                                                  const DeviceArray<LocalIndex>& values);
SortedPairs<std::uint32_t, std::uint32_t> sort_pairs(const std::uint32_t* keys,
                                                     const DeviceArray<std::uint32_t>& values,
                                                     int bits = 32);
SortedPairs<LocalIndex, std::int64_t> sort_pairs(const LocalIndex* keys,
                                                 const DeviceArray<std::int64_t>& values);

/// Of each place the sum of all before it. T: Offset, LocalIndex, std::uint32_t or std::uint64_t.
template <class T>
DeviceArray<T> prefix_sum(const DeviceArray<T>& numbers);

/// The places of the flags that are not 0, ascending.
DeviceArray<std::int64_t> places_of_flags(const DeviceArray<unsigned char>& flags);

}  // namespace rowhalo

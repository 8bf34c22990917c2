// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gpu/conversion/sort_and_scan.hpp"

#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

/// Calls a CUB function twice: for the bytes it needs, then with them.
template <class Call>
void with_scratch(const Call& call) {
  std::size_t bytes = 0;
  ROWHALO_CUDA(call(nullptr, bytes));
  const DeviceMemory scratch(bytes);
  ROWHALO_CUDA(call(scratch.data(), bytes));
  synchronize_device();  // before the scratch memory goes
}

}  // namespace

template <class Index, class Key>
SortedKeys<Key, Index> sorted_order(const Key* keys, std::int64_t count, int bits) {
  const DeviceArray<Index> numbers(count);
  for_each_item(count, [numbers = numbers.data()] __device__(std::int64_t k) {
    numbers[k] = static_cast<Index>(k);
  });
  SortedKeys<Key, Index> sorted{DeviceArray<Key>(count), DeviceArray<Index>(count)};
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted.keys.data(), numbers.data(),
                                           sorted.order.data(), count, 0, bits);
  });
  return sorted;
}
template SortedKeys<std::uint64_t, LocalIndex> sorted_order(const std::uint64_t*, std::int64_t,
                                                            int);
template SortedKeys<std::uint32_t, std::uint32_t> sorted_order(const std::uint32_t*, std::int64_t,
                                                               int);
template SortedKeys<LocalIndex, std::int64_t> sorted_order(const LocalIndex*, std::int64_t, int);

template <class T>
DeviceArray<T> prefix_sum(const DeviceArray<T>& numbers) {
  using Unsigned = std::make_unsigned_t<T>;  // the same bits, and half the kernels to compile
  DeviceArray<T> sums(numbers.size());
  const auto* from = reinterpret_cast<const Unsigned*>(numbers.data());
  auto* to = reinterpret_cast<Unsigned*>(sums.data());
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, from, to, numbers.size());
  });
  return sums;
}
template DeviceArray<Offset> prefix_sum(const DeviceArray<Offset>&);
template DeviceArray<LocalIndex> prefix_sum(const DeviceArray<LocalIndex>&);
template DeviceArray<std::uint32_t> prefix_sum(const DeviceArray<std::uint32_t>&);
template DeviceArray<std::uint64_t> prefix_sum(const DeviceArray<std::uint64_t>&);

DeviceArray<std::int64_t> places_of_flags(const DeviceArray<unsigned char>& flags) {
  const DeviceArray<std::int64_t> places(flags.size()), found(1);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(scratch, bytes, thrust::counting_iterator<std::int64_t>(0),
                                      flags.data(), places.data(), found.data(), flags.size());
  });
  DeviceArray<std::int64_t> result(found.to_host()[0]);
  copy_now(result.data(), places.data(), static_cast<std::size_t>(result.bytes()));
  return result;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Dense numbers for scattered global numbers: an open-addressing hash map with linear probing.
// Eight consecutive numbers hash to one run of eight slots, so neighbouring columns of a matrix,
// which are looked up together, lie in the same cache lines. At most half the slots are taken.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "partition/base/checked_cast.hpp"
#include "partition/base/hash.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

class IndexMap {
 public:
  explicit IndexMap(std::size_t expected = 0) : slots_(slots_for(expected)) {
    numbers_.reserve(expected);
  }

  /// The index of `number`: the one it has, or the next of 0, 1, 2, ...
  LocalIndex insert(GlobalIndex number) {
    std::size_t slot = slot_of(number);
    if (slots_[slot].index >= 0) return slots_[slot].index;
    if (2 * (numbers_.size() + 1) > slots_.size()) {
      grow();
      slot = slot_of(number);
    }
    const auto index = checked_cast<LocalIndex>(numbers_.size(), "entries of x on one rank");
    slots_[slot] = {number, index};
    numbers_.push_back(number);
    return index;
  }

  /// The index of `number`, or -1.
  LocalIndex find(GlobalIndex number) const { return slots_[slot_of(number)].index; }

  /// All numbers by index.
  std::span<const GlobalIndex> numbers() const { return numbers_; }

 private:
  struct Slot {
    GlobalIndex number = 0;
    LocalIndex index = -1;  ///< -1: free
  };
  static constexpr int run_bits = 3;

  static std::size_t slots_for(std::size_t count) {
    return std::bit_ceil(std::max<std::size_t>(2 * count, 1 << run_bits));
  }

  /// The slot that holds `number`, or the free one where it belongs.
  std::size_t slot_of(GlobalIndex number) const {
    const auto bits = static_cast<std::uint64_t>(number);
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t in_run = bits & ((1 << run_bits) - 1);
    std::size_t slot = (mix64(bits >> run_bits) << run_bits | in_run) & mask;
    while (slots_[slot].index >= 0 && slots_[slot].number != number) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    std::vector<Slot>().swap(slots_);
    slots_.resize(slots_for(2 * (numbers_.size() + 1)));
    for (std::size_t index = 0; index < numbers_.size(); ++index) {
      slots_[slot_of(numbers_[index])] = {numbers_[index], static_cast<LocalIndex>(index)};
    }
  }

  std::vector<Slot> slots_;
  std::vector<GlobalIndex> numbers_;
};

}  // namespace rowhalo

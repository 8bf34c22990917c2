// SPDX-License-Identifier: BSD-3-Clause
//
// Groups global numbers by the rank that keeps their answers (directory.hpp).
#include "partition/matrix/directory.hpp"

namespace rowhalo {

GroupedNumbers group_by_share(const Comm& comm, GlobalIndex size,
                              std::span<const GlobalIndex> numbers) {
  GroupedNumbers grouped;
  grouped.counts.assign(comm.size, 0);
  std::vector<int> keepers(numbers.size());
  EvenOwner keeper_of(size, comm.size);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const GlobalIndex number = numbers[k];
    if (number < 0 || number >= size) {
      throw std::logic_error("directory: number " + std::to_string(number) + " is not in 0.." +
                             std::to_string(size - 1));
    }
    keepers[k] = keeper_of(number);
    ++grouped.counts[keepers[k]];
  }

  std::vector<std::int64_t> next = starts_of(grouped.counts);
  grouped.numbers.resize(numbers.size());
  grouped.positions.resize(numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    grouped.positions[k] = next[keepers[k]]++;
    grouped.numbers[grouped.positions[k]] = numbers[k];
  }
  return grouped;
}

}  // namespace rowhalo

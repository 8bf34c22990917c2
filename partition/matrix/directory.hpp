// SPDX-License-Identifier: BSD-3-Clause
//
// A distributed directory: what is known of global number i, without an array of the global size
// anywhere. Rank r keeps the answers for its even share of the numbers, so who keeps an answer is
// arithmetic: scatter() publishes, gather() looks up.
#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "partition/comm.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Numbers grouped by the rank whose even share they lie in.
struct GroupedNumbers {
  std::vector<std::int64_t> counts;     ///< one per rank
  std::vector<GlobalIndex> numbers;     ///< grouped by rank, otherwise in the order given
  std::vector<std::int64_t> positions;  ///< where in `numbers` the k-th given number stands
};

/// Local; a counting sort. A number outside [0, size) is a std::logic_error.
GroupedNumbers group_by_share(const Comm& comm, GlobalIndex size,
                              std::span<const GlobalIndex> numbers);

/// Collective. Fetches entries of a vector that lies in even shares: `share` is this rank's part of
/// the `size` entries; returns those at `numbers`, in that order. Numbers may repeat.
template <class T>
std::vector<T> gather(const Comm& comm, GlobalIndex size, std::span<const T> share,
                      std::span<const GlobalIndex> numbers) {
  const GroupedNumbers asked = group_by_share(comm, size, numbers);
  const GlobalIndex first = even_split(size, 1, comm.size, comm.rank);

  std::vector<std::int64_t> question_counts;
  const std::vector<GlobalIndex> questions =
      exchange(comm, asked.numbers, asked.counts, question_counts);
  std::vector<T> answers(questions.size());
  for (std::size_t k = 0; k < questions.size(); ++k) answers[k] = share[questions[k] - first];
  const std::vector<T> received = exchange(comm, answers, question_counts);

  std::vector<T> entries(numbers.size());
  for (std::size_t k = 0; k < entries.size(); ++k) entries[k] = received[asked.positions[k]];
  return entries;
}

/// Collective. Entries at `numbers`, which may be given by several ranks or by none, become this
/// rank's even share: `combine(mine, theirs)` joins those of one number to T(), in rank order.
template <class T, class Combine>
std::vector<T> combined_share(const Comm& comm, GlobalIndex size,
                              std::span<const GlobalIndex> numbers, std::span<const T> entries,
                              const Combine& combine) {
  const GroupedNumbers given = group_by_share(comm, size, numbers);
  std::vector<T> grouped(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) grouped[given.positions[k]] = entries[k];
  const std::vector<GlobalIndex> arrived_numbers = exchange(comm, given.numbers, given.counts);
  const std::vector<T> arrived = exchange(comm, grouped, given.counts);
  const GlobalIndex first = even_split(size, 1, comm.size, comm.rank);
  const GlobalIndex last = even_split(size, 1, comm.size, comm.rank + 1);
  std::vector<T> share(static_cast<std::size_t>(last - first));
  for (std::size_t k = 0; k < arrived.size(); ++k) {
    combine(share[arrived_numbers[k] - first], arrived[k]);
  }
  return share;
}

/// Collective. The reverse of gather(): entries at `numbers` (each of [0, size) once over all
/// ranks) become this rank's even share.
template <class T>
std::vector<T> scatter(const Comm& comm, GlobalIndex size, std::span<const GlobalIndex> numbers,
                       std::span<const T> entries) {
  GlobalIndex given = 0;
  std::vector<T> share =
      combined_share(comm, size, numbers, entries, [&](T& mine, const T& theirs) {
        mine = theirs;
        ++given;
      });
  if (given != std::ssize(share)) {
    throw std::logic_error("scatter: not every number of the share was given once");
  }
  return share;
}

/// Collective. Every rank's values one after the other on rank 0, nothing on the others.
template <class T>
std::vector<T> gather_on_root(const Comm& comm, const std::vector<T>& values) {
  std::vector<std::int64_t> counts(comm.size, 0);
  counts[0] = std::ssize(values);
  return exchange(comm, values, counts);
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// A distributed directory: answers "what is known of global number i" without an array of the global
// size anywhere. Rank r keeps the answers for its even share of the numbers.
#pragma once

#include <span>
#include <vector>

#include "partition/comm.hpp"
#include "partition/distributed_csr.hpp"

namespace rowhalo {

/// T is a trivially copyable answer.
template <class T>
class Directory {
 public:
  /// Collective. Publishes answers[k] for numbers[k] (each number of [0, size) once over all ranks).
  Directory(const Comm& comm, GlobalIndex size, std::span<const GlobalIndex> numbers,
            std::span<const T> answers);

  /// Collective. The answers for `numbers`, in their order. Any numbers, with repeats.
  std::vector<T> look_up(std::span<const GlobalIndex> numbers) const;

 private:
  struct Routed;  ///< numbers grouped by the rank that keeps them
  static Routed route(const Comm& comm, GlobalIndex size, std::span<const GlobalIndex> numbers);

  Comm comm_;
  GlobalIndex size_, first_;
  std::vector<T> share_;
};

/// Collective. Fetches entries of a vector that lies in even shares: `share` is this rank's part of
/// the `size` entries; returns those at `numbers`.
template <class T>
std::vector<T> fetch(const Comm& comm, GlobalIndex size, std::span<const T> share,
                     std::span<const GlobalIndex> numbers);

/// Collective. The reverse: entries at `numbers` (each of [0, size) once over all ranks) become this
/// rank's even share.
template <class T>
std::vector<T> deal_out(const Comm& comm, GlobalIndex size, std::span<const GlobalIndex> numbers,
                        std::span<const T> entries);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Products with a matrix and with its transpose in turn, timed beside each of them alone: what two
// operators cost each other in caches, launches and exchanges.
#pragma once

#include <vector>

#include "miniapp/bench/batches.hpp"
#include "miniapp/tune/products.hpp"

namespace rowhalo {

/// The products of two operators, or of one twice.
struct PairedProducts {
  Products& first;
  Products* second;  ///< null: `first` multiplies twice

  Products& other() const { return second != nullptr ? *second : first; }
  /// Puts in pair `k`.
  void apply(std::int64_t k) const;
  /// Pairs one by one, or, where both sequences are graphs, in one graph of as many pairs as the
  /// first has products. Refers to what this refers to.
  ProductSequence sequence(Stream stream) const;
};

/// Seconds, the slowest rank's, a value per round.
struct PairTimes {
  int iterations = 0;                         ///< pairs, or products, per batch
  std::vector<double> pair, first, second{};  ///< of one pair; of one product alone
  bool interrupted = false;                   ///< by a signal

  double product_seconds() const { return median(first); }
  double other_seconds() const { return median(second.empty() ? first : second); }
  /// Median of the time of a pair over the sum of both products in the same round.
  double ratio() const;
};

/// Collective. Rounds of a batch of pairs and one of each product alone, each first in every third
/// round, until `options` are met: batches far apart do not compare, since clocks and other load
/// change.
PairTimes measure_pair(const Measuring& with, const BatchOptions& options,
                       const PairedProducts& products, ProductSequence& pair);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Rounds of batches of pairs and of single products (pair.hpp).
#include "miniapp/bench/pair.hpp"

#include <algorithm>

namespace rowhalo {

void PairedProducts::apply(std::int64_t k) const {
  if (second == nullptr) {
    first.apply(2 * k);
    first.apply(2 * k + 1);
  } else {
    first.apply(k);
    second->apply(k);
  }
}

ProductSequence PairedProducts::sequence(Stream stream) const {
  const PairedProducts pair = *this;
  const auto apply_pair = [pair](std::int64_t k) { pair.apply(k); };
  const auto check = [pair] {
    pair.first.sequence().check();
    pair.other().sequence().check();
  };
  const int step = first.sequence().step();
  const bool graph = step > 1 && other().sequence().step() > 1;
  return graph ? ProductSequence(apply_pair, stream, step, check)
               : ProductSequence(apply_pair, check);
}

double PairTimes::ratio() const {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < pair.size(); ++k) {
    ratios.push_back(pair[k] / (first[k] + (second.empty() ? first[k] : second[k])));
  }
  return median(ratios);
}

PairTimes measure_pair(const Measuring& with, const BatchOptions& options,
                       const PairedProducts& products, ProductSequence& pair) {
  PairTimes times;
  struct Measured {
    ProductSequence& sequence;
    std::vector<double>& seconds;
  };
  std::vector<Measured> all{{pair, times.pair}, {products.first.sequence(), times.first}};
  if (products.second != nullptr) all.push_back({products.second->sequence(), times.second});
  BatchOptions one = options;
  one.batches = 1;
  one.min_seconds = 0;
  one.watch = nullptr;
  if (one.iterations == 0) {
    const double seconds = batch_seconds(options);
    one.iterations =
        batch_iterations(estimate_seconds(with, seconds / 2, pair), seconds, options.fewest);
  }
  times.iterations = one.iterations;
  const double begin = now_seconds();
  for (double total = 0; std::ssize(times.pair) < options.batches || total < options.min_seconds;) {
    const std::size_t round = times.pair.size();
    one.warmup = round == 0 ? options.warmup : 1;  // the caches hold what the last batch has used
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Measured& kind = all[(round + k) % all.size()];
      const BatchTimes batch = measure_batches(with, one, kind.sequence);
      times.interrupted = batch.interrupted;
      if (times.interrupted) return times;
      kind.seconds.push_back(batch.median());
    }
    total = max_over_ranks(with.comm, now_seconds() - begin);
  }
  return times;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The check of all examples: A times ones sums up the rows, which are integers here, so that both
// sums are exact.
#pragma once

#include <cstdio>
#include <numeric>
#include <vector>

#include "partition/comm.hpp"

/// Collective. Whether the sum of y is `factor` times that of the values; rank 0 prints both.
inline bool is_product(const rowhalo::Comm& comm, const char* what, const std::vector<double>& y,
                       const std::vector<double>& values, double factor = 1) {
  const auto sum = [&](const std::vector<double>& all) {
    return rowhalo::sum_reals_over_ranks(comm, std::accumulate(all.begin(), all.end(), 0.0));
  };
  const double product = sum(y), expected = factor * sum(values);
  if (comm.rank == 0) std::printf("%s: sum of y %g, expected %g\n", what, product, expected);
  return product == expected;
}

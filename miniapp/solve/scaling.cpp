// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/solve/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rowhalo {

namespace {

/// Squares, cubes and sums of values in this range are far from the ends of that of fp64.
constexpr double safe = 0x1p32;

}  // namespace

double largest_entry(const Comm& comm, const std::vector<double>& entries) {
  double largest = 0;
  for (const double entry : entries) {
    if (std::isfinite(entry)) largest = std::max(largest, std::fabs(entry));
  }
  return max_over_ranks(comm, largest);
}

int scale_values(const Comm& comm, LocalMatrix& matrix) {
  const double largest = largest_entry(comm, matrix.values);
  if (largest == 0 || (largest <= safe && largest >= 1 / safe)) return 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (const double value : matrix.values) {
    if (value != 0) smallest = std::min(smallest, std::fabs(value));
  }
  smallest = -max_over_ranks(comm, -smallest);
  constexpr int least_normal = std::numeric_limits<double>::min_exponent - 1;
  int exponent = std::ilogb(largest);
  // Subnormal numbers have few digits already: they only become larger.
  if (exponent > 0) exponent = std::max(0, std::min(exponent, std::ilogb(smallest) - least_normal));
  exponent -= std::abs(exponent % 2);
  matrix.values = scaled(std::move(matrix.values), -exponent);
  return exponent;
}

int scale_entries(const Comm& comm, std::vector<double>& entries) {
  const double largest = largest_entry(comm, entries);
  if (largest == 0) return 0;
  const int exponent = std::ilogb(largest);
  entries = scaled(std::move(entries), -exponent);
  return exponent;
}

std::vector<double> scaled(std::vector<double> entries, int exponent) {
  if (exponent != 0) {
    for (double& entry : entries) entry = std::scalbn(entry, exponent);
  }
  return entries;
}

}  // namespace rowhalo

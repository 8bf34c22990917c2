// SPDX-License-Identifier: BSD-3-Clause
//
// Terms of predictions (cost_model.hpp).
#include "kernels/cost_model.hpp"

#include <algorithm>

namespace rowhalo::cost {

double value_bytes(const LocalStatistics& s) {
  return static_cast<double>(matrix_value_bytes(s.precision));
}

double saved_by_codes(const LocalStatistics& s) {
  return (value_bytes(s) - s.least_value_bytes) * nonzeros(s);
}

double nonzeros(const LocalStatistics& s) {
  return static_cast<double>(s.lengths.nonzeros);
}

double longest_row(const LocalStatistics& s) {
  return static_cast<double>(s.lengths.longest);
}

double y_bytes(const LocalStatistics& s) {
  return static_cast<double>(s.rows) * static_cast<double>(vector_value_bytes(s.precision));
}

double csr_bytes(const LocalStatistics& s) {
  return (value_bytes(s) + 4) * nonzeros(s) + 8.0 * s.rows + y_bytes(s);
}

double padded_bytes(const LocalStatistics& s, double slots) {
  return 4 * slots + value_bytes(s) * nonzeros(s) + y_bytes(s);
}

double shared_pattern_bytes(const LocalStatistics& s) {
  constexpr double slice_bytes = 16.0 / 32;  // a row
  return value_bytes(s) * nonzeros(s) + slice_bytes * s.rows + y_bytes(s);
}

double diagonal_bytes(const LocalStatistics& s) {
  // The entries of a row lie on as many diagonals.
  const double diagonals = std::max(static_cast<double>(s.diagonals), longest_row(s));
  const double slots = std::max(diagonals * s.rows, nonzeros(s));
  return (value_bytes(s) + 0.125) * slots + y_bytes(s);
}

double dense_bytes(const LocalStatistics& s) {
  return value_bytes(s) * s.rows * s.columns + y_bytes(s);
}

}  // namespace rowhalo::cost

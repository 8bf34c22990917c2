// SPDX-License-Identifier: BSD-3-Clause
//
// What a product costs in a format, as far as the statistics tell before the format is made. Each
// format that `auto` may choose has its rule in its own file (FormatParts of format_kernel.hpp). A
// rule is a lower bound as far as the statistics are exact, and at least the bytes of the values;
// gathers of x are not counted. `auto` takes rules to order its trials and to leave out what cannot
// win. Here are the terms that several rules have in common, in bytes.
#pragma once

#include <algorithm>

#include "kernels/local_statistics.hpp"

namespace rowhalo {

struct Prediction {
  double bytes = 0;           ///< of matrix and y that a product moves, values as they are
  double serial_entries = 0;  ///< most entries that a GPU's thread sums one after the other
  bool reads_csr = false;     ///< nothing is converted: a trial costs its products only
  bool starts_early = false;  ///< loads while the kernel before it ends (early_start.cuh)
  bool in_panels = false;     ///< gathers x from shared memory
  double saved_bytes = 0;     ///< of `bytes`, that value codes may spare at the most
};

using PredictionRule = Prediction(const LocalStatistics& statistics);

namespace cost {

/// Of one entry of the matrix.
inline double value_bytes(const LocalStatistics& s) {
  return static_cast<double>(matrix_value_bytes(s.precision));
}

inline double nonzeros(const LocalStatistics& s) {
  return static_cast<double>(s.lengths.nonzeros);
}

/// Entries.
inline double longest_row(const LocalStatistics& s) {
  return static_cast<double>(s.lengths.longest);
}

/// Bytes that codes may spare of all values, at most.
inline double saved_by_codes(const LocalStatistics& s) {
  return (value_bytes(s) - s.least_value_bytes) * nonzeros(s);
}

/// Written once.
inline double y_bytes(const LocalStatistics& s) {
  return static_cast<double>(s.rows) * static_cast<double>(vector_value_bytes(s.precision));
}

/// CSR as it is, and y, however rows are shared out.
inline double csr_bytes(const LocalStatistics& s) {
  return (value_bytes(s) + 4) * nonzeros(s) + 8.0 * s.rows + y_bytes(s);
}

/// Padded rows and y: an index is read from every slot, a value where there is an entry.
inline double padded_bytes(const LocalStatistics& s, double slots) {
  return 4 * slots + value_bytes(s) * nonzeros(s) + y_bytes(s);
}

/// asell: patterns that all slices share, values as they are, and y.
inline Prediction shared_patterns(const LocalStatistics& s) {
  constexpr double slice_bytes = 16.0 / 32;  // a row
  return {.bytes = value_bytes(s) * nonzeros(s) + slice_bytes * s.rows + y_bytes(s),
          .serial_entries = longest_row(s),
          .saved_bytes = saved_by_codes(s)};
}

/// dia and y, with a bit per slot.
inline double diagonal_bytes(const LocalStatistics& s) {
  // The entries of a row lie on as many diagonals.
  const double diagonals = std::max(static_cast<double>(s.diagonals), longest_row(s));
  const double slots = std::max(diagonals * s.rows, nonzeros(s));
  return (value_bytes(s) + 0.125) * slots + y_bytes(s);
}

/// All columns of all rows, and y.
inline double dense_bytes(const LocalStatistics& s) {
  return value_bytes(s) * s.rows * s.columns + y_bytes(s);
}

}  // namespace cost
}  // namespace rowhalo

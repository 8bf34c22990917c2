// SPDX-License-Identifier: BSD-3-Clause
//
// What a product costs in a format, as far as the statistics tell before the format is made. Each
// format that `auto` may choose has its rule, predict_NAME(), in its own file. A rule is a lower
// bound as far as the statistics are exact, and at least the bytes of the values; gathers of x are
// not counted. `auto` takes rules to order its trials and to leave out what cannot win. Here are
// the terms that several rules have in common, in bytes.
#pragma once

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

double value_bytes(const LocalStatistics& s);     ///< of one entry of the matrix
double saved_by_codes(const LocalStatistics& s);  ///< bytes of all values, at most
double nonzeros(const LocalStatistics& s);
double longest_row(const LocalStatistics& s);  ///< entries
double y_bytes(const LocalStatistics& s);      ///< written once

/// CSR as it is, and y, however rows are shared out.
double csr_bytes(const LocalStatistics& s);
/// Padded rows and y: an index is read from every slot, a value where there is an entry.
double padded_bytes(const LocalStatistics& s, double slots);
/// asell and y: patterns that all slices share, values as they are.
double shared_pattern_bytes(const LocalStatistics& s);
/// dia and y, with a bit per slot.
double diagonal_bytes(const LocalStatistics& s);
/// All columns of all rows, and y.
double dense_bytes(const LocalStatistics& s);

}  // namespace cost
}  // namespace rowhalo

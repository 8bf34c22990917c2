// SPDX-License-Identifier: BSD-3-Clause
//
// Partial sums: where many columns of a neighbour meet few rows here, the neighbour adds up its
// part of those rows and sends the sums instead of the entries of x. A power law cut by rows has
// both kinds of blocks, hubs that many rows need and rows of hubs that need many columns.
//
//   rows of rank 0, columns of rank 1        what travels from rank 1 to rank 0
//
//          c0 c1 c2 c3 c4 c5
//     r0    a  b  c  d  e  f                 a x0 + b x1 + c x2 + d x3 + f x5, the sum for r0
//     r1                g                    x4, which serves r0, too
//     r2                h
//
// Each entry takes the longer of its row and its column (a cover by degrees), then what the rest
// covers goes; of a rank from which that saves nothing only entries of x travel.
//
// A product is three matrices then, y = matrix * x + added * (sums * x), and two exchanges: entries
// of x travel while sums are computed, and these while the rows are multiplied.
#pragma once

#include "partition/halo_plan.hpp"
#include "partition/local_matrix.hpp"

namespace rowhalo {

struct PartialSums {
  /// What stays: the same rows and owned columns; the ghosts that still travel. Its blocks are of
  /// one row.
  LocalMatrix matrix;
  /// A row per sum for other ranks, of this rank's entries of x; those for a rank lie together.
  LocalMatrix sums;
  /// The same rows as `matrix`, of ones: where the sums belong that come, its ghosts. Its owned
  /// columns are the sums for others, which no row has; source_columns are -1.
  LocalMatrix added;
  HaloPlan plan;  ///< of `added`

  // Where new values go (refill()).
  std::vector<int> computed_by;  ///< per ghost of the whole matrix: who has its entries; -1: here
  std::vector<std::int64_t> sent_bytes, received_bytes;  ///< per rank, of values of the sums
};

/// Collective. Throws AgreedError as make_local_matrix() does.
PartialSums make_partial_sums(const Comm& comm, const LocalMatrix& matrix, Progress& progress,
                              std::int64_t limit = most_local_numbers);

/// Collective. Takes the values of `whole`, from which `sums` was made, anew: those that stay and
/// those of the sums, which travel once more. `moved`: memory for them, resized at the first call.
void refill(const Comm& comm, const LocalMatrix& whole, PartialSums& sums,
            std::vector<double>& moved);

/// What a rank sends or receives in a product, whichever is more; most of any rank.
struct SumSavings {
  std::int64_t entries_without = 0;  ///< of x, without sums
  std::int64_t entries = 0, sums = 0;
  std::int64_t nonzeros = 0;  ///< of the sums, at most: some may be served by entries that travel
};

/// Collective. Without moving anything.
SumSavings savings_by_sums(const Comm& comm, const LocalMatrix& matrix);

/// Collective. The same matrix with its rows cut anew so that ranks multiply as many entries as
/// each other once sums are computed where make_partial_sums() puts them. As it was where no sums
/// travel, its rows are not in the order of the source, or x is not owned as y is.
LocalMatrix cut_for_partial_sums(const Comm& comm, LocalMatrix&& matrix, Progress& progress);

}  // namespace rowhalo

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
// covers goes; of a rank from which that saves nothing only entries of x travel. A sum is one more
// entry of its rank's x, behind those of the vector, and one more column of the matrix, with value
// 1: plan, exchanges and kernels need not know of it. Before an exchange each rank computes the
// sums that others want.
//
//   x of a rank, as exchanged:  [ entries of x | gap | sums for others | ghosts: entries, sums ]
//
// The gap lets the sums begin at a multiple of 32 entries, as vectors do.
#pragma once

#include <vector>

#include "partition/local_matrix.hpp"

namespace rowhalo {

struct PartialSums {
  /// The same rows; owned columns are the entries of x and the sums behind them, which this rank's
  /// rows do not use. `columns` and `ghosts` count both; source_columns of sums are -1. Its blocks
  /// are of one row.
  LocalMatrix matrix;
  /// A row per sum, of this rank's entries of x.
  LocalMatrix sums;
  /// Per ghost of `matrix`: the local column of the matrix that it was made from; -1: a sum.
  std::vector<LocalIndex> origins;
  LocalIndex owned_entries = 0;  ///< of x
  LocalIndex first_sum = 0;      ///< among the owned columns of `matrix`
};

/// Collective. Throws AgreedError as make_local_matrix() does.
PartialSums make_partial_sums(const Comm& comm, const LocalMatrix& matrix, Progress& progress,
                              std::int64_t limit = most_local_numbers);

/// Collective. The same matrix with its rows cut anew so that ranks multiply as many entries as
/// each other once sums are computed where make_partial_sums() puts them. As it was where no sums
/// travel, its rows are not in the order of the source, or x is not owned as y is.
LocalMatrix cut_for_partial_sums(const Comm& comm, LocalMatrix&& matrix, Progress& progress);

}  // namespace rowhalo

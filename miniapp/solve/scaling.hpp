// SPDX-License-Identifier: BSD-3-Clause
//
// A matrix as solvers want it. Systems are scaled by powers of two, which rounds nothing: squares
// of norms then stay in the range of fp64, and a system that differs from another by a power of two
// takes the same iterations.
//
//   A x = b   is solved as   (2^-matrix A) y = 2^-rhs b,   x = 2^(rhs - matrix) y
#pragma once

#include <vector>

#include "miniapp/solve/workspace.hpp"
#include "partition/comm.hpp"
#include "partition/local_matrix.hpp"

namespace rowhalo {

struct SystemScale {
  int matrix = 0;  ///< even, so that sqrt(r.z) is scaled by a power of two, too
  int rhs = 0;

  int solution() const { return rhs - matrix; }
  /// Of the watched norm.
  int norm(ResidualNorm norm) const {
    return norm == ResidualNorm::unpreconditioned ? rhs
           : norm == ResidualNorm::natural        ? rhs - matrix / 2
                                                  : rhs - matrix;
  }
};

/// Collective. Scales the values so that the largest lies in [1, 4), and returns by which power of
/// two they have been divided. Values stay as they are (0) where the largest lies in [2^-32, 2^32]
/// already. None of them is rounded: where the smallest would leave the normal numbers, the largest
/// is left larger.
int scale_values(const Comm& comm, LocalMatrix& matrix);

/// Collective. Scales the entries of a vector so that the largest lies in [1, 2), and returns by
/// which power of two they have been divided. Entries below 2^-1000 of the largest may be rounded.
int scale_entries(const Comm& comm, std::vector<double>& entries);

/// 2^exponent times the entries.
std::vector<double> scaled(std::vector<double> entries, int exponent);

/// Collective. The largest absolute value of finite entries, 0 where there is none.
double largest_entry(const Comm& comm, const std::vector<double>& entries);

/// Collective. The graph of PageRank: a_ij is the weight of the edge from j to i. Divides every
/// entry by the sum of its column. Returns, per owned column, 1 where
/// that sum is 0 (dangling: nowhere to go) and 0 elsewhere. Sums are identical for any number of
/// ranks and partition, and neither overflow nor underflow. Throws AgreedError (usage) where an
/// entry is negative or not finite.
std::vector<double> normalize_columns(const Comm& comm, LocalMatrix& matrix);

}  // namespace rowhalo

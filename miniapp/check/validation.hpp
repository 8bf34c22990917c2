// SPDX-License-Identifier: BSD-3-Clause
//
// Is y right? Every entry is compared with a reference, within a bound on the rounding error of
// its row:
//   bound_i = 2 (n_i + 3) u (|alpha| sum_j |a_ij||x_j| + |beta||y0_i|) + u_y |ref_i|
//             + (n_i + 2) max(1, |alpha|) * smallest subnormal
// with n_i entries in row i, u the unit roundoff of the sums and u_y that of y. A dot product is
// within n u of the exact one, for every n and any order of summation (Jeannerod and Rump: Improved
// error bounds for inner products in floating-point arithmetic, SIAM J. Matrix Anal. Appl. 34,
// 2013); twice, since the reference may be another sum in working precision. Where y has fewer
// digits than its sums the smallest subnormal of y comes on top. a, x, alpha, beta and y0 are taken
// as the run's precision rounds them. Where 2 (n_i + 3) u reaches 1/2 the bound proves nothing: y
// must then have the bits of kernels/spmv_kernel.hpp, or, where its formats do not promise them,
// the row counts as unchecked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partition/comm.hpp"
#include "partition/local_matrix.hpp"

namespace rowhalo {

/// What the formats of a product promise: the bits of kernels/spmv_kernel.hpp in every row, or not.
enum class RowBits { any, canonical };

/// One product to be checked, on this rank. Vectors hold values representable in `precision`.
struct CheckedProduct {
  const LocalMatrix& matrix;
  Precision precision;
  double alpha, beta;
  const std::vector<double>&
      x;  ///< per local column, by number in the source: never through a halo
  const std::vector<double>& y0;  ///< per owned row, y before the product
  const void* y;                  ///< per owned row, y after it, in `precision`
  RowBits bits = RowBits::any;    ///< the same on all ranks
};

/// max_i |y_i - ref_i| / bound_i. A bound of 0 asks for equality; Inf and NaN must match in kind.
struct ErrorRatio {
  double max = 0;
  GlobalIndex worst_row = -1;  ///< its number in the source; -1 for an empty matrix
  std::int64_t rows = 0;       ///< rows checked, all ranks
  std::int64_t unchecked = 0;  ///< rows about which no bound proves anything, all ranks
  bool passed() const { return max <= 1; }
};

/// Local. alpha*A*x + beta*y0 in double-double, rounded once to double.
std::vector<double> reference_product(const CheckedProduct& product);

/// Local. alpha * sums + beta * y0, where `sums` is A*x as somebody else (PETSc) computed it in
/// double.
std::vector<double> scaled_sum(const CheckedProduct& product, std::vector<double>&& sums);

/// bound_i of a row of `entries`, where `magnitude` is |alpha| sum_j |a_ij||x_j| + |beta||y0_i|.
/// Empty where it proves nothing.
std::optional<double> rounding_bound(Precision precision, std::int64_t entries, double magnitude,
                                     double alpha, double reference);

/// "3 rows unchecked: ..." for messages; empty for 0.
std::string unchecked_text(std::int64_t rows);

/// Collective. Compares product.y with `reference` (per owned row). Where that is empty every row
/// of reference_product() is made when it is compared, which takes no memory.
ErrorRatio compare(const Comm& comm, const CheckedProduct& product,
                   const std::vector<double>& reference);

/// Collective. Compares product.y, left by `products` products in a row that began with product.y0,
/// with the same recursion of the reference; errors follow E_k+1 = |beta| E_k + bound. Rows that
/// leave the finite numbers on the way count as unchecked.
ErrorRatio compare_repeated(const Comm& comm, const CheckedProduct& product, int products);

/// Collective. y_hash: sum mod 2^64 over rows of hash_of_entry(number in the source, y_i).
std::uint64_t hash_vector(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                          const void* y);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The reference in double-double and the comparison with its bound (validation.hpp).
// Double-double sums after Dekker (1971) and Ogita, Rump, Oishi: Accurate sum and dot product (SIAM
// J. Sci. Comput. 26, 2005), products split by fma.
#include "miniapp/check/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "partition/base/hash.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_that_proves_nothing = 0.5;  ///< of the relative bound

/// 2 (n + 3) u for a row of n entries.
double relative_bound(Precision precision, std::int64_t entries) {
  return 2 * (static_cast<double>(entries) + 3) * unit_roundoff(sum_type(precision));
}

struct DoubleDouble {
  double high = 0, low = 0;

  void add_product(double a, double b) {
    const double product = a * b;
    const double product_error = std::fma(a, b, -product);
    const double sum = high + product;
    const double shifted = sum - high;
    const double sum_error = (high - (sum - shifted)) + (product - shifted);
    low += sum_error + product_error;
    high = sum;
  }
  double value() const { return high + low; }
};

/// Values as the kernels see them.
double stored_entry(const CheckedProduct& product, Offset k) {
  return rounded_to(matrix_type(product.precision), product.matrix.values[k]);
}
double stored_alpha(const CheckedProduct& product) {
  return rounded_to(sum_type(product.precision), product.alpha);
}
double stored_beta(const CheckedProduct& product) {
  return rounded_to(sum_type(product.precision), product.beta);
}

double reference_row(const CheckedProduct& product, LocalIndex row) {
  const LocalMatrix& matrix = product.matrix;
  DoubleDouble sum;
  double plain = 0;  // Inf and NaN spoil the error terms; their kind is that of the plain sum
  for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
    const double a = stored_entry(product, k);
    const double x = product.x[matrix.indices[k]];
    sum.add_product(a, x);
    plain = std::fma(a, x, plain);
  }
  const double alpha = stored_alpha(product);
  const double beta = stored_beta(product);
  DoubleDouble result;
  result.add_product(alpha, sum.high);
  result.add_product(alpha, sum.low);
  double plain_result = alpha * plain;
  if (beta != 0) {
    result.add_product(beta, product.y0[row]);
    plain_result = std::fma(alpha, plain, beta * product.y0[row]);
  }
  return std::isfinite(result.value()) ? result.value() : plain_result;
}

/// y_i as every canonical format computes it, in T, the type of the sums.
template <class T>
double row_by_the_bits(const CheckedProduct& product, LocalIndex row) {
  const LocalMatrix& matrix = product.matrix;
  T sum = 0;
  for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
    sum = std::fma(static_cast<T>(stored_entry(product, k)),
                   static_cast<T>(product.x[matrix.indices[k]]), sum);
  }
  const T alpha = static_cast<T>(product.alpha), beta = static_cast<T>(product.beta);
  const T y0 = beta == 0 ? 0 : static_cast<T>(product.y0[row]);
  const T result = beta == 0 ? alpha * sum : std::fma(alpha, sum, beta * y0);
  return rounded_to(vector_type(product.precision), result);
}

/// 0 where y_i has the bits that canonical formats promise, else infinity.
double ratio_of_bits(const CheckedProduct& product, LocalIndex row, double y) {
  const double expected = sum_type(product.precision) == NumberType::fp64
                              ? row_by_the_bits<double>(product, row)
                              : row_by_the_bits<float>(product, row);
  return canonical_bits(y) == canonical_bits(expected) ? 0 : infinity;
}

/// How large a row's terms are, and whether all that goes into it is finite.
struct Magnitude {
  double sum = 0;     ///< sum_j |a_ij||x_j|
  double result = 0;  ///< |alpha| times that, and |beta||y0_i|
  bool finite = true;
};

Magnitude magnitude_of_row(const CheckedProduct& product, LocalIndex row) {
  const LocalMatrix& matrix = product.matrix;
  Magnitude magnitude;
  for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
    const double a = stored_entry(product, k), x = product.x[matrix.indices[k]];
    magnitude.finite = magnitude.finite && std::isfinite(a) && std::isfinite(x);
    magnitude.sum += std::abs(a * x);
  }
  magnitude.result = magnitude.sum * std::abs(stored_alpha(product));
  if (product.beta != 0) {
    magnitude.finite = magnitude.finite && std::isfinite(product.y0[row]);
    magnitude.result += std::abs(stored_beta(product) * product.y0[row]);
  }
  return magnitude;
}

/// Whether all that goes into a row is finite, but not what may come out on the way: then the
/// result depends on the order of the operations.
bool may_overflow(const CheckedProduct& product, LocalIndex row) {
  const double largest = sum_type(product.precision) == NumberType::fp64
                             ? std::numeric_limits<double>::max()
                             : std::numeric_limits<float>::max();
  const Magnitude magnitude = magnitude_of_row(product, row);
  return magnitude.finite && !(magnitude.sum <= largest && magnitude.result <= largest);
}

/// Empty where nothing can be proved about the row.
std::optional<double> ratio_of_row(const CheckedProduct& product, LocalIndex row,
                                   double reference) {
  const double y = load(vector_type(product.precision), product.y, row);
  const Offset entries = product.matrix.offsets[row + 1] - product.matrix.offsets[row];
  const bool canonical = product.bits == RowBits::canonical;
  if (canonical && relative_bound(product.precision, entries) >= least_that_proves_nothing) {
    return ratio_of_bits(product, row, y);
  }
  const double rounded = rounded_to(vector_type(product.precision), reference);
  if (!(std::isfinite(rounded) && std::isfinite(y)) && may_overflow(product, row)) {
    return canonical ? std::optional(ratio_of_bits(product, row, y)) : std::nullopt;
  }
  if (std::isnan(rounded) || std::isnan(y)) {
    return std::isnan(rounded) && std::isnan(y) ? 0 : infinity;
  }
  if (std::isinf(rounded) || std::isinf(y)) return rounded == y ? 0 : infinity;
  if (y == reference) return 0;
  const std::optional<double> bound =
      rounding_bound(product.precision, entries, magnitude_of_row(product, row).result,
                     stored_alpha(product), reference);
  if (!bound) return canonical ? std::optional(ratio_of_bits(product, row, y)) : std::nullopt;
  const double error = std::abs(y - reference);
  return *bound > 0 ? error / *bound : infinity;
}

}  // namespace

std::vector<double> reference_product(const CheckedProduct& product) {
  std::vector<double> reference(product.matrix.owned_rows);
#pragma omp parallel for schedule(dynamic, 4096)
  for (LocalIndex row = 0; row < product.matrix.owned_rows; ++row) {
    reference[row] = reference_row(product, row);
  }
  return reference;
}

std::vector<double> scaled_sum(const CheckedProduct& product, std::vector<double>&& sums) {
  const double alpha = stored_alpha(product);
  const double beta = stored_beta(product);
  for (std::size_t row = 0; row < sums.size(); ++row) {
    sums[row] = beta == 0 ? alpha * sums[row] : std::fma(alpha, sums[row], beta * product.y0[row]);
  }
  return std::move(sums);
}

std::optional<double> rounding_bound(Precision precision, std::int64_t entries, double magnitude,
                                     double alpha, double reference) {
  const NumberType sums = sum_type(precision), results = vector_type(precision);
  const double relative = relative_bound(precision, entries);
  const double underflow = (static_cast<double>(entries) + 2) * std::max(1.0, std::abs(alpha)) *
                           smallest_subnormal(sums);
  const double bound = relative * magnitude + unit_roundoff(results) * std::abs(reference) +
                       underflow + (results == sums ? 0 : smallest_subnormal(results));
  if (relative >= least_that_proves_nothing || !std::isfinite(bound)) return std::nullopt;
  return bound;
}

std::string unchecked_text(std::int64_t rows) {
  if (rows == 0) return "";
  return fmt::format(
      "{} row{} unchecked: no rounding bound proves anything there; use --precision fp64, or a "
      "format with the bits of csr",
      rows, rows == 1 ? "" : "s");
}

namespace {

/// Collective. The largest of ratio_of(row), which is empty where nothing can be proved.
template <class RatioOf>
ErrorRatio worst_of_rows(const Comm& comm, const CheckedProduct& product, const RatioOf& ratio_of) {
  struct {
    double ratio;
    int rank;
  } mine{-1, comm.rank}, worst{-1, 0};
  LocalIndex worst_local = -1;
  std::int64_t unchecked = 0;
#pragma omp parallel reduction(+ : unchecked)
  {
    double ratio_seen = -1;
    LocalIndex row_seen = -1;
#pragma omp for schedule(dynamic, 4096) nowait
    for (LocalIndex row = 0; row < product.matrix.owned_rows; ++row) {
      const std::optional<double> ratio = ratio_of(row);
      if (!ratio) ++unchecked;
      if (ratio && *ratio > ratio_seen) {
        ratio_seen = *ratio;
        row_seen = row;
      }
    }
#pragma omp critical
    if (ratio_seen > mine.ratio || (ratio_seen == mine.ratio && row_seen < worst_local)) {
      mine.ratio = ratio_seen;
      worst_local = row_seen;
    }
  }
  ROWHALO_MPI(MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm.handle));
  GlobalIndex worst_row = worst_local < 0 ? -1 : product.matrix.source_rows[worst_local];
  ROWHALO_MPI(MPI_Bcast(&worst_row, 1, MPI_INT64_T, worst.rank, comm.handle));
  const std::int64_t all_unchecked = sum_over_ranks(comm, unchecked);
  const std::int64_t rows = sum_over_ranks(comm, std::int64_t{product.matrix.owned_rows});
  return {std::max(worst.ratio, 0.0), worst_row, rows - all_unchecked, all_unchecked};
}

/// The ratio of a row after `products` products in a row; empty where nothing can be proved.
std::optional<double> ratio_of_repeated_row(const CheckedProduct& product, LocalIndex row,
                                            int products) {
  CheckedProduct single = product;
  single.beta = 0;
  const NumberType results = vector_type(product.precision);
  const double sum = reference_row(single, row), beta = stored_beta(product);
  const double magnitude = magnitude_of_row(single, row).result;
  const Offset entries = product.matrix.offsets[row + 1] - product.matrix.offsets[row];
  double reference = product.y0[row], error = 0;
  if (beta == 0) products = std::min(products, 1);  // all give the same
  for (int k = 0; k < products; ++k) {
    const double before = std::abs(beta) * (std::abs(reference) + error);
    reference = std::fma(beta, reference, sum);
    error *= std::abs(beta);
    const std::optional<double> bound =
        rounding_bound(product.precision, entries, magnitude + before, stored_alpha(product),
                       std::abs(reference) + error);
    if (!bound) return std::nullopt;
    error += *bound;
    if (!std::isfinite(rounded_to(results, std::abs(reference) + error))) return std::nullopt;
  }
  const double y = load(results, product.y, row);
  if (y == reference) return 0;
  const double ratio = std::abs(y - reference) / error;
  return error > 0 && !std::isnan(ratio) ? ratio : infinity;
}

}  // namespace

ErrorRatio compare(const Comm& comm, const CheckedProduct& product,
                   const std::vector<double>& reference) {
  return worst_of_rows(comm, product, [&](LocalIndex row) {
    return ratio_of_row(product, row,
                        reference.empty() ? reference_row(product, row) : reference[row]);
  });
}

ErrorRatio compare_repeated(const Comm& comm, const CheckedProduct& product, int products) {
  return worst_of_rows(
      comm, product, [&](LocalIndex row) { return ratio_of_repeated_row(product, row, products); });
}

std::uint64_t hash_vector(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                          const void* y) {
  std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    sum += mix64(static_cast<std::uint64_t>(matrix.source_rows[row]),
                 canonical_bits(vector_type(precision), y, row));
  }
  return wrapping_sum_over_ranks(comm, sum);
}

}  // namespace rowhalo

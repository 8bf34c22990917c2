// SPDX-License-Identifier: BSD-3-Clause
//
// The validator itself, in both directions: it passes what is right up to rounding and fails what
// is wrong by little more.
#include "miniapp/check/validation.hpp"

#include "tests/miniapp/problem.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

CheckedProduct checked(const Problem& problem, const std::vector<double>& y) {
  return {problem.matrix, problem.precision, problem.alpha, problem.beta,
          problem.x,      problem.y0,        y.data()};
}

/// The ratio when entry `row` of y on the last rank that has rows is replaced by `change(y)`.
template <class Change>
ErrorRatio ratio_after(const Problem& problem, const std::vector<double>& reference,
                       Change change) {
  std::vector<double> y = reference;
  const std::int64_t last =
      max_over_ranks(problem.comm, std::int64_t{y.empty() ? -1 : problem.comm.rank});
  if (problem.comm.rank == last) y.back() = change(y.back());
  return compare(problem.comm, checked(problem, y), reference);
}

/// Rows 0 and 1 in fp32, all entries of which stand in column 0: `entries` in row 0, one in row 1.
void give_long_row(Problem& problem, std::int64_t entries) {
  LocalMatrix& matrix = problem.matrix;
  matrix.offsets.assign(1, 0);
  for (const GlobalIndex row : matrix.source_rows) {
    matrix.offsets.push_back(matrix.offsets.back() + (row == 0 ? entries : 1));
  }
  matrix.indices.assign(matrix.offsets.back(), 0);
  matrix.values.assign(matrix.offsets.back(), 1);
  std::fill(problem.x.begin(), problem.x.end(), double{1.0f / 3});
}

/// y of a problem in fp32 by the definition of the bits; `change(y)` in row 0.
template <class Change>
ErrorRatio ratio_in_fp32(const Problem& problem, RowBits bits, Change change) {
  const LocalMatrix& matrix = problem.matrix;
  std::vector<float> y;
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    float sum = 0;
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      sum = std::fma(static_cast<float>(matrix.values[k]),
                     static_cast<float>(problem.x[matrix.indices[k]]), sum);
    }
    const float value = static_cast<float>(problem.alpha) * sum;
    y.push_back(matrix.source_rows[row] == 0 ? change(value) : value);
  }
  CheckedProduct product{problem.matrix, problem.precision, problem.alpha, problem.beta,
                         problem.x,      problem.y0,        y.data(),      bits};
  return compare(problem.comm, product, reference_product(product));
}

/// Largest bound that any row can have: all rows of stencil27 sum at most 52 in magnitude.
constexpr double generous_bound = 2 * 31 * 0x1p-53 * 53;

}  // namespace

TEST_CASE("the reference is the exact product rounded") {
  // x is all integers and so is the matrix: every sum is exact.
  Problem problem("stencil27:5", "rows", {}, Precision::fp64, 2, -1);
  for (std::size_t k = 0; k < problem.x.size(); ++k) {
    problem.x[k] = static_cast<double>(problem.matrix.source_columns[k] % 7);
  }
  for (double& y : problem.y0) y = 3;
  const std::vector<double> reference = reference_product(checked(problem, problem.y0));
  bool exact = true;
  for (LocalIndex row = 0; row < problem.matrix.owned_rows; ++row) {
    double sum = 0;
    for (Offset k = problem.matrix.offsets[row]; k < problem.matrix.offsets[row + 1]; ++k) {
      sum += problem.matrix.values[k] * problem.x[problem.matrix.indices[k]];
    }
    exact = exact && reference[row] == 2 * sum - 3;
  }
  REQUIRE_ALL_RANKS(exact);
}

TEST_CASE("cancellation does not fool the reference") {
  // (1, 2^60, 1, -2^60) in the rows of dense:4 scaled by x: what is left is 2.
  Problem problem("dense:rows=3,columns=4", "rows", {}, Precision::fp64, 1, 0);
  problem.matrix.values.assign(problem.matrix.values.size(), 1.0);
  for (std::size_t k = 0; k < problem.x.size(); ++k) {
    const double terms[] = {1, 0x1p60, 1, -0x1p60};
    problem.x[k] = terms[problem.matrix.source_columns[k]];
  }
  const std::vector<double> reference = reference_product(checked(problem, problem.y0));
  bool right = true;
  for (const double y : reference) right = right && y == 2;
  REQUIRE_ALL_RANKS(right);
}

TEST_CASE("what is right passes and what is wrong fails") {
  const Problem problem("stencil27:5", "nnz", {}, Precision::fp64, 1, 0);
  const std::vector<double> reference = reference_product(checked(problem, problem.y0));
  REQUIRE_ALL_RANKS(ratio_after(problem, reference, [](double y) { return y; }).max == 0);
  REQUIRE_ALL_RANKS(
      ratio_after(problem, reference, [](double y) { return std::nextafter(y, 9.0); }).passed());
  const auto wrong = [&](auto change) {
    const ErrorRatio ratio = ratio_after(problem, reference, change);
    return !ratio.passed() && ratio.worst_row == problem.matrix.info.rows - 1 &&
           ratio.rows == problem.matrix.info.rows;
  };
  REQUIRE_ALL_RANKS(wrong([](double y) { return y + 2 * generous_bound; }));
  REQUIRE_ALL_RANKS(wrong([](double y) { return -y; }));
  REQUIRE_ALL_RANKS(wrong([](double) { return not_a_number; }));
  REQUIRE_ALL_RANKS(wrong([](double) { return infinity; }));
  REQUIRE_ALL_RANKS(wrong([](double) { return 0.0; }));
}

TEST_CASE("without memory for a reference its rows are made one by one") {
  for (const double beta : {0.0, -0.5}) {
    const Problem problem("stencil27:5", "nnz", {}, Precision::fp64, 2, beta);
    std::vector<double> y = reference_product(checked(problem, problem.y0));
    const auto without_array = [&] { return compare(problem.comm, checked(problem, y), {}); };
    const ErrorRatio right = without_array();
    REQUIRE_ALL_RANKS(right.max == 0 && right.rows == problem.matrix.info.rows);
    if (!y.empty()) y.front() += 4 * generous_bound;
    REQUIRE_ALL_RANKS(!without_array().passed());
  }
}

TEST_CASE("Inf and NaN must match in kind") {
  Problem problem("stencil5:6", "rows", {}, Precision::fp64, 1, 0);
  for (std::size_t k = 0; k < problem.x.size(); ++k) {
    if (problem.matrix.source_columns[k] == 35) problem.x[k] = infinity;
  }
  const std::vector<double> reference = reference_product(checked(problem, problem.y0));
  // Row 35 holds +4 on its diagonal, its neighbours -1.
  const auto passes = [&](double value) {
    return ratio_after(problem, reference, [value](double) { return value; }).passed();
  };
  REQUIRE_ALL_RANKS(passes(infinity));
  REQUIRE_ALL_RANKS(!passes(-infinity));
  REQUIRE_ALL_RANKS(!passes(not_a_number));
  REQUIRE_ALL_RANKS(!passes(1e300));
}

TEST_CASE("an empty row must be exactly zero, up to the smallest number") {
  Problem problem("stencil5:3", "rows", {}, Precision::fp64, 1, 0);
  for (double& value : problem.matrix.values) value = 0;
  const std::vector<double> reference = reference_product(checked(problem, problem.y0));
  REQUIRE_ALL_RANKS(ratio_after(problem, reference, [](double) { return 0.0; }).passed());
  REQUIRE_ALL_RANKS(ratio_after(problem, reference, [](double) { return -0.0; }).passed());
  REQUIRE_ALL_RANKS(!ratio_after(problem, reference, [](double) { return 1e-300; }).passed());
}

TEST_CASE("the bound is that of the definition, and there is none where it proves nothing") {
  const auto bound = [](Precision precision, std::int64_t entries, double magnitude,
                        double alpha = 1, double reference = 0) {
    return rounding_bound(precision, entries, magnitude, alpha, reference).value_or(-1);
  };
  constexpr double least = 0x1p-1074, least_fp32 = 0x1p-149, least_fp16 = 0x1p-24;
  CHECK(bound(Precision::fp64, 27, 8) == 2 * 30 * 0x1p-53 * 8);
  CHECK(bound(Precision::fp64, 27, 0) == 29 * least);
  CHECK(bound(Precision::fp64, 27, 0, -8) == 29 * 8 * least);
  CHECK(bound(Precision::fp64, 27, 0, 0.25) == 29 * least);
  CHECK(bound(Precision::fp64, 27, 8, 1, -4) == 2 * 30 * 0x1p-53 * 8 + 0x1p-53 * 4);
  CHECK(bound(Precision::fp64, 1 << 24, 1) > 0);
  CHECK(bound(Precision::fp32, 13, 0, 1e10) == 15 * 1e10 * least_fp32);
  CHECK(bound(Precision::fp16, 0, 0) == 2 * least_fp32 + least_fp16);
  // Linear up to the last: gamma would be a third more there.
  CHECK(bound(Precision::fp32, (1 << 22) - 4, 1) == Approx((0x1p22 - 1) * 0x1p-23).epsilon(1e-9));
  for (const std::int64_t entries :
       {std::int64_t{1 << 22} - 3, std::int64_t{1} << 24, std::int64_t{1} << 33}) {
    CHECK_FALSE(rounding_bound(Precision::fp32, entries, 1, 1, 1));
  }
  CHECK_FALSE(rounding_bound(Precision::fp64, 3, infinity, 1, 1));
}

TEST_CASE("rows too long for a bound need the bits of csr, or count as unchecked") {
  constexpr std::int64_t entries = (1 << 22) - 3;
  Problem problem("dense:rows=2,columns=1", "rows", {}, Precision::fp32, 1, 0);
  give_long_row(problem, entries);
  const auto ratio = [&](RowBits bits, auto change) {
    return ratio_in_fp32(problem, bits, change);
  };
  const auto same = [](float y) { return y; };
  const auto next = [](float y) { return std::nextafter(y, 9e9f); };
  const ErrorRatio right = ratio(RowBits::canonical, same), wrong = ratio(RowBits::canonical, next);
  REQUIRE_ALL_RANKS(right.passed() && right.rows == 2 && right.unchecked == 0);
  REQUIRE_ALL_RANKS(!wrong.passed() && wrong.worst_row == 0 && wrong.unchecked == 0);
  const ErrorRatio unproved = ratio(RowBits::any, next);
  REQUIRE_ALL_RANKS(unproved.passed() && unproved.rows == 1 && unproved.unchecked == 1);
  REQUIRE_ALL_RANKS(!ratio(RowBits::any, [](float) { return std::nanf(""); }).passed());
  // One entry less has a bound of nearly half the sum.
  give_long_row(problem, entries - 1);
  for (const RowBits bits : {RowBits::any, RowBits::canonical}) {
    const ErrorRatio checked = ratio_in_fp32(problem, bits, next);
    REQUIRE_ALL_RANKS(checked.passed() && checked.rows == 2 && checked.unchecked == 0);
    REQUIRE_ALL_RANKS(!ratio_in_fp32(problem, bits, [](float y) { return 2 * y; }).passed());
  }
}

TEST_CASE("alpha scales what underflows") {
  Problem problem("dense:rows=2,columns=1", "rows", {}, Precision::fp32, 1e10, 0);
  give_long_row(problem, 40);
  // Products of 0.91e-44, 6.5 times the smallest number in fp32: each loses a half of it.
  std::fill(problem.x.begin(), problem.x.end(), 0x1p-70);
  std::fill(problem.matrix.values.begin(), problem.matrix.values.end(), 0x1.ap-77);
  const auto passes = [&](float factor) {
    return ratio_in_fp32(problem, RowBits::any, [=](float y) { return factor * y; }).passed();
  };
  REQUIRE_ALL_RANKS(passes(1));
  REQUIRE_ALL_RANKS(!passes(2));
}

TEST_CASE("the hash depends on every entry and its place, not on who owns it") {
  const Problem rows("stencil5:6", "rows", {}, Precision::fp64, 1, 0);
  const Problem moved("stencil5:6", "nnz", 4, Precision::fp64, 1, 0);
  const auto hash = [](const Problem& problem, auto entry) {
    std::vector<double> y;
    for (const GlobalIndex row : problem.matrix.source_rows) y.push_back(entry(row));
    return hash_vector(problem.comm, problem.matrix, Precision::fp64, y.data());
  };
  const auto square = [](GlobalIndex row) { return static_cast<double>(row * row); };
  REQUIRE_ALL_RANKS(hash(rows, square) == hash(moved, square));
  REQUIRE_ALL_RANKS(hash(rows, square) != hash(rows, [&](GlobalIndex row) {
                      return row == 1 ? square(2) : row == 2 ? square(1) : square(row);
                    }));
  REQUIRE_ALL_RANKS(hash(rows, [](GlobalIndex) { return not_a_number; }) ==
                    hash(rows, [](GlobalIndex) { return -not_a_number; }));
  REQUIRE_ALL_RANKS(hash(rows, [](GlobalIndex) { return 0.0; }) !=
                    hash(rows, [](GlobalIndex) { return -0.0; }));
}

namespace {

/// y after `products` products in a row by the definition of the bits, compared as `claimed` of
/// them.
template <class T>
ErrorRatio repeated_ratio(const Problem& problem, int products, int claimed) {
  const LocalMatrix& matrix = problem.matrix;
  std::vector<T> y(problem.y0.begin(), problem.y0.end());
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    T sum = 0;
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      sum = std::fma(static_cast<T>(matrix.values[k]), static_cast<T>(problem.x[matrix.indices[k]]),
                     sum);
    }
    for (int k = 0; k < products; ++k) {
      y[row] = std::fma(static_cast<T>(problem.alpha), sum, static_cast<T>(problem.beta) * y[row]);
    }
  }
  return compare_repeated(problem.comm,
                          {problem.matrix, problem.precision, problem.alpha, problem.beta,
                           problem.x, problem.y0, y.data()},
                          claimed);
}

}  // namespace

TEST_CASE("products in a row are right up to their errors, and are counted") {
  constexpr int products = 12;
  for (const double beta : {-0.75, 1.0, 1.5}) {
    CAPTURE(beta);
    const Problem in_double("stencil27:5", "nnz", {}, Precision::fp64, 2, beta);
    const Problem in_float("stencil27:5", "nnz", {}, Precision::fp32, 2, beta);
    REQUIRE_ALL_RANKS(repeated_ratio<double>(in_double, products, products).passed());
    REQUIRE_ALL_RANKS(repeated_ratio<float>(in_float, products, products).passed());
    REQUIRE_ALL_RANKS(repeated_ratio<float>(in_float, products, products).unchecked == 0);
    REQUIRE_ALL_RANKS(!repeated_ratio<double>(in_double, products, products - 1).passed());
    REQUIRE_ALL_RANKS(!repeated_ratio<float>(in_float, products, products + 1).passed());
  }
}

TEST_CASE("rows that leave the finite numbers in products in a row are unchecked") {
  const Problem problem("stencil27:5", "nnz", {}, Precision::fp32, 2, 16);
  const ErrorRatio ratio = repeated_ratio<float>(problem, 200, 200);
  REQUIRE_ALL_RANKS(ratio.passed());
  REQUIRE_ALL_RANKS(ratio.unchecked == problem.matrix.info.rows);
}

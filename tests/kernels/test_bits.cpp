// SPDX-License-Identifier: BSD-3-Clause
//
// One definition of the bits: every canonical format, with every instruction set, gives what a
// plain loop of std::fma gives; every time, with any number of threads, and whatever stands in x.
#include <omp.h>

#include <numeric>

#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

std::vector<std::string> canonical_specs() {
  std::vector<std::string> specs = cpu_specs(true);
  for (const std::string& spec : sell_specs()) specs.push_back(spec);
  return specs;
}

template <class T>
void check_bits(const Matrix& matrix, const std::vector<T>& x) {
  const Typed<T> typed(matrix);
  const auto before = uniform<T>(matrix.rows(), 3);
  for (const NamedList& list : row_lists(matrix.rows())) {
    for (const auto& [alpha, beta] : {std::pair<T, T>{T(1), T(0)}, {T(0.7), T(-1.3)}}) {
      const auto right = by_the_bits(typed, list.rows, alpha, x, beta, before);
      for (const std::string& spec : canonical_specs()) {
        INFO(spec << ", " << matrix.name << ", " << list.name << ", " << sizeof(T) << " bytes");
        const auto kernel = make_kernel(unlimited(spec), typed.view(), list.view());
        const bool same = same_bits(product(*kernel, alpha, x, beta, before), right);
        CHECK(same);
      }
    }
  }
}

template <class T>
void check_bits_of_all() {
  for (const Matrix& matrix : matrices()) {
    check_bits<T>(with_random_values(matrix), uniform<T>(matrix.columns, 4));
  }
}

template <class T>
void check_spread_of_nan() {
  for (const Matrix& plain : matrices()) {
    const Matrix matrix = with_random_values(plain);
    if (matrix.columns < 2) continue;
    const Typed<T> typed(matrix);
    const auto clean = uniform<T>(matrix.columns, 4);
    auto dirty = clean;
    dirty.front() = std::numeric_limits<T>::quiet_NaN();  // what careless padding would read
    dirty.back() = std::numeric_limits<T>::infinity();
    check_bits<T>(matrix, dirty);
    for (const std::string& spec : cpu_specs(false)) {
      const auto kernel = make_kernel(unlimited(spec), typed.view(), all_rows(matrix.rows()));
      const std::vector<T> zero(static_cast<std::size_t>(matrix.rows()), 0);
      const auto y = product(*kernel, T(1), clean, T(0), zero);
      const auto spoilt = product(*kernel, T(1), dirty, T(0), zero);
      for (LocalIndex i = 0; i < matrix.rows(); ++i) {
        bool refers = false;
        for (Offset e = matrix.offsets[i]; e < matrix.offsets[i + 1]; ++e) {
          refers = refers || matrix.indices[e] == 0 || matrix.indices[e] == matrix.columns - 1;
        }
        const bool right =
            refers ? !std::isfinite(spoilt[i]) : canonical_bits(spoilt[i]) == canonical_bits(y[i]);
        INFO(spec << ", " << matrix.name << ", row " << i);
        CHECK(right);
      }
    }
  }
}

}  // namespace

TEST_CASE("all canonical formats give the bits of the plain loop") {
  omp_set_num_threads(2);
  check_bits_of_all<double>();
  check_bits_of_all<float>();
}

TEST_CASE("NaN and Inf in x reach only the rows that refer to them") {
  omp_set_num_threads(2);
  check_spread_of_nan<double>();
  check_spread_of_nan<float>();
}

TEST_CASE("a sum that underflowed to -0 stays -0 beside longer rows") {
  omp_set_num_threads(2);
  const auto check = [](auto tiny) {
    using T = decltype(tiny);
    Matrix matrix = pattern("short rows among long ones", 64, 40,
                            [](auto i, auto j) { return j < (i % 2 == 0 ? 1 : 40); });
    for (double& value : matrix.values) value = -tiny;
    const std::vector<T> x(40, tiny);
    const auto right = by_the_bits(Typed<T>(matrix), {0}, T(1), x, T(0), std::vector<T>(64));
    REQUIRE((right[0] == 0 && std::signbit(right[0])));
    check_bits<T>(matrix, x);
  };
  check(std::numeric_limits<double>::min());
  check(std::numeric_limits<float>::min());
}

TEST_CASE("the same bits every time, with any number of threads") {
  const Matrix matrix = with_random_values(random(3001, 400));
  const Typed<double> typed(matrix);
  const auto x = uniform<double>(400, 4), before = uniform<double>(3001, 5);
  std::vector<LocalIndex> rows(3001);
  std::iota(rows.begin(), rows.end(), 0);
  const auto reference = by_the_bits(typed, rows, 0.3, x, 0.9, before);
  for (const std::string& spec : cpu_specs(false)) {
    INFO(spec);
    omp_set_num_threads(1);
    const auto one = make_kernel(unlimited(spec), typed.view(), all_rows(3001));
    const auto right = product(*one, 0.3, x, 0.9, before);
    omp_set_num_threads(4);
    const auto kernel = make_kernel(unlimited(spec), typed.view(), all_rows(3001));
    const bool canonical = find_format(Spec::parse(spec, "--format").name(), Device::cpu).canonical;
    const auto first = product(*kernel, 0.3, x, 0.9, before);
    // Every row belongs to one thread: no format's bits depend on their number.
    CHECK(same_bits(first, right));
    if (canonical) CHECK(same_bits(first, reference));
    int different = 0;
    for (int k = 0; k < 100; ++k) {
      if (!same_bits(product(*kernel, 0.3, x, 0.9, before), first)) ++different;
    }
    CHECK(different == 0);
    omp_set_num_threads(2);  // fewer threads than the kernel was built for
    CHECK(same_bits(product(*kernel, 0.3, x, 0.9, before), first));
  }
}

TEST_CASE("powers of two pass through exactly") {
  omp_set_num_threads(2);
  const Matrix matrix = with_random_values(random(301, 257));
  const Typed<double> typed(matrix);
  const auto x = uniform<double>(257, 4);
  auto x4 = x;
  for (double& value : x4) value *= 4;
  const std::vector<double> zero(301, 0);
  for (const std::string& spec : cpu_specs(false)) {
    INFO(spec);
    const auto kernel = make_kernel(unlimited(spec), typed.view(), all_rows(301));
    auto y4 = product(*kernel, 1.0, x, 0.0, zero);
    for (double& value : y4) value *= 4;
    CHECK(same_bits(product(*kernel, 1.0, x4, 0.0, zero), y4));
    CHECK(same_bits(product(*kernel, 4.0, x, 0.0, zero), y4));
    // alpha A x + beta y with y = A x: 2 A x - A x = A x.
    const auto y = product(*kernel, 1.0, x, 0.0, zero);
    CHECK(same_bits(product(*kernel, 2.0, x, -1.0, y), y));
  }
}

TEST_CASE("A times ones gives the row sums") {
  omp_set_num_threads(2);
  for (const Matrix& matrix : matrices()) {
    const Typed<float> typed(matrix);
    const std::vector<float> ones(static_cast<std::size_t>(matrix.columns), 1);
    std::vector<float> sums;
    for (LocalIndex i = 0; i < matrix.rows(); ++i) {
      sums.push_back(std::accumulate(typed.values.begin() + matrix.offsets[i],
                                     typed.values.begin() + matrix.offsets[i + 1], 0.0F));
    }
    for (const std::string& spec : cpu_specs(false)) {
      INFO(spec << ", " << matrix.name);
      const auto kernel = make_kernel(unlimited(spec), typed.view(), all_rows(matrix.rows()));
      CHECK(product(*kernel, 1.0F, ones, 0.0F, sums) == sums);
    }
  }
}

TEST_CASE("permuted rows give the permuted result") {
  omp_set_num_threads(2);
  const LocalIndex rows = 301;
  const Matrix matrix = with_random_values(random(rows, 257));
  Matrix permuted;
  permuted.columns = matrix.columns;
  for (LocalIndex i = 0; i < rows; ++i) {
    const LocalIndex from = i * 100 % rows;
    for (Offset e = matrix.offsets[from]; e < matrix.offsets[from + 1]; ++e) {
      permuted.add(matrix.indices[e], matrix.values[e]);
    }
    permuted.end_row();
  }
  const Typed<double> typed(matrix), typed_permuted(permuted);
  const auto x = uniform<double>(257, 4);
  const std::vector<double> zero(rows, 0);
  for (const std::string& spec : cpu_specs(true)) {
    INFO(spec);
    const auto product_of = [&](const Typed<double>& a) {
      return product(*make_kernel(unlimited(spec), a.view(), all_rows(rows)), 1.0, x, 0.0, zero);
    };
    const auto y = product_of(typed), y_permuted = product_of(typed_permuted);
    LocalIndex different = 0;
    for (LocalIndex i = 0; i < rows; ++i) {
      if (canonical_bits(y_permuted[i]) != canonical_bits(y[i * 100 % rows])) ++different;
    }
    CHECK(different == 0);
  }
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Every CPU format of the table on every matrix of the battery: exact on integers, within the
// rounding bound on random values. A new format is tested by its line in the table.
#include <omp.h>

#include <cmath>
#include <numeric>
#include <set>

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/errors.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

constexpr double factors[] = {0, 1, -0.5};

/// Rows outside the list keep what they had, listed rows satisfy `good(row, y)`.
template <class T, class Good>
void check_product(const SpmvKernel& kernel, const NamedList& list, LocalIndex rows, T alpha,
                   const std::vector<T>& x, T beta, const std::vector<T>& before,
                   const Good& good) {
  const std::vector<T> y = product(kernel, alpha, x, beta, before);
  std::vector<bool> listed_row(static_cast<std::size_t>(rows), false);
  for (const LocalIndex i : list.rows) listed_row[i] = true;
  LocalIndex wrong = -1;
  for (LocalIndex i = 0; i < rows && wrong < 0; ++i) {
    const bool fine =
        listed_row[i] ? good(i, y[i]) : canonical_bits(y[i]) == canonical_bits(before[i]);
    if (!fine) wrong = i;
  }
  if (wrong < 0) return;
  INFO("alpha " << alpha << " beta " << beta << " y " << y[wrong]);
  CHECK(wrong == -1);
}

/// All matrices, lists, alphas and betas through `spec`; all are too small to be refused.
template <class T, class Vector, class Good>
void run_battery(const std::string& spec, const std::vector<Matrix>& matrices, const Vector& vector,
                 const Good& good) {
  for (const Matrix& matrix : matrices) {
    const Typed<T> typed(matrix);
    const auto x = vector(matrix.columns, 1);
    for (const NamedList& list : row_lists(matrix.rows())) {
      INFO(spec << ", " << matrix.name << ", " << list.name << ", " << sizeof(T) << " bytes");
      const auto kernel = make_kernel(spec, typed.view(), list.view());
      REQUIRE(kernel);
      for (const double alpha : factors) {
        for (const double beta : factors) {
          auto before = vector(matrix.rows(), 2);
          if (beta == 0) before.assign(before.size(), std::numeric_limits<T>::quiet_NaN());
          const T a = static_cast<T>(alpha), b = static_cast<T>(beta);
          check_product(*kernel, list, matrix.rows(), a, x, b, before, [&](LocalIndex i, T y) {
            return good(expected(typed, i, a, x, b, before[i]), y);
          });
        }
      }
    }
  }
}

template <class T>
void run_exact(const std::vector<std::string>& specs) {
  for (const std::string& spec : specs) {
    run_battery<T>(spec, matrices(), integers<T>,
                   [](const Expected& e, T y) { return static_cast<long double>(y) == e.y; });
  }
}

template <class T>
void run_bounded(const std::vector<std::string>& specs) {
  std::vector<Matrix> random_matrices;
  for (const Matrix& matrix : matrices()) random_matrices.push_back(with_random_values(matrix));
  for (const std::string& spec : specs) {
    run_battery<T>(spec, random_matrices, uniform<T>,
                   [](const Expected& e, T y) { return std::fabs(y - e.y) <= e.bound; });
  }
}

}  // namespace

TEST_CASE("every CPU format is exact on integers") {
  omp_set_num_threads(2);
  run_exact<double>(cpu_specs(false));
  run_exact<float>(cpu_specs(false));
}

TEST_CASE("every CPU format keeps the rounding bound") {
  omp_set_num_threads(2);
  run_bounded<double>(cpu_specs(false));
  run_bounded<float>(cpu_specs(false));
}

TEST_CASE("sell is exact for every slice and window") {
  omp_set_num_threads(2);
  run_exact<double>(sell_specs());
  run_exact<float>(sell_specs());
}

TEST_CASE("the table names each format once a device, in one line") {
  std::set<std::pair<Device, std::string>> seen;
  for (const FormatEntry& entry : formats()) {
    INFO(entry.name);
    CHECK(seen.emplace(entry.device, entry.name).second);
    CHECK(std::string(entry.summary).size() > 10);
    CHECK(std::string(entry.summary).find('\n') == std::string::npos);
    if (unusable_reason(entry).empty()) {
      CHECK(&find_format(entry.name, entry.device) == &entry);
      CHECK(entry.make != nullptr);
    } else {
      CHECK(entry.device == Device::gpu);
      CHECK_THROWS_AS(find_format(entry.name, entry.device), InputError);
    }
    CHECK_FALSE((entry.baseline && entry.automatic));
    const bool built = entry.device == Device::cpu || built_with_cuda();
    CHECK((entry.predict != nullptr) == (entry.automatic && built));
  }
  CHECK(seen.count({Device::cpu, "csr"}) == 1);
  CHECK(seen.count({Device::gpu, "sell"}) == 1);  // in every build
  CHECK(find_format("csr", Device::cpu).canonical);
  CHECK_FALSE(find_format("csr", Device::cpu).automatic);
  CHECK(find_format("sell", Device::cpu).automatic);
}

TEST_CASE("an unknown format lists the valid ones") {
  const auto refusal = [](const char* name, const char* option) {
    try {
      find_format(name, Device::cpu, option);
    } catch (const InputError& error) {
      CHECK(error.code() == ExitCode::usage);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string unknown = refusal("sel", "--format");
  INFO(unknown);
  CHECK(unknown.starts_with(
      "--format sel: unknown format; did you mean sell? On device cpu use csr, csr-omp, "));
  CHECK(refusal("atuo", "--format").find("did you mean auto?") != std::string::npos);
  CHECK(refusal("atuo", "--boundary-format").find("did you mean") == std::string::npos);
  CHECK(unknown.find("sell") != std::string::npos);
  const std::string elsewhere = refusal("csr-balanced", "--boundary-format");
  INFO(elsewhere);
  CHECK(
      elsewhere.starts_with("--boundary-format csr-balanced: runs on device gpu only, and this "
                            "run uses device cpu; use csr, csr-omp, "));
  CHECK(elsewhere.ends_with(", or --device gpu"));
}

TEST_CASE("formats that sum x.y along leave its parts, and y as it is without") {
  omp_set_num_threads(3);
  std::set<std::string> names;
  for (const Matrix& matrix : matrices_with_dots()) {
    const Typed<double> typed(matrix);
    const auto x = integers<double>(matrix.columns, 1), before = integers<double>(matrix.rows(), 2);
    for (const NamedList& list : row_lists(matrix.rows())) {
      for (const std::string& spec : cpu_specs(false)) {
        const auto kernel = make_kernel(unlimited(spec), typed.view(), list.view());
        const std::optional<std::int64_t> parts = kernel->dot_parts();
        if (!parts) continue;
        INFO(spec << ", " << matrix.name << ", " << list.name);
        names.insert(spec.substr(0, spec.find(':')));
        std::vector<double> y = before, dots(static_cast<std::size_t>(*parts), std::nan(""));
        constexpr NumberType type = NumberType::fp64;
        kernel->apply({2, {x.data(), type}, -1, {y.data(), type}, dots.data()}, {});
        CHECK(y == product(*kernel, 2.0, x, -1.0, before));
        CHECK(std::accumulate(dots.begin(), dots.end(), 0.0) == dot_of_listed(list, x, y));
      }
    }
  }
  CHECK(names == std::set<std::string>{"asell", "csr", "csr-omp"});
  const Typed<float> reduced(heavy());
  CHECK_FALSE(make_kernel("csr", reduced.view(), all_rows(64))->dot_parts());
}

TEST_CASE(
    "every CPU format refuses vectors of another type, several of them, and sums it has not") {
  const Matrix matrix = random(150, 150);
  const Typed<double> wide(matrix);
  const Typed<float> single(matrix);
  const std::vector<double> x(150, 1);
  std::vector<double> y(150, -7), parts(8);
  for (const std::string& spec : cpu_specs(false)) {
    INFO(spec);
    LocalProduct product{.x = {x.data(), NumberType::fp64}, .y = {y.data(), NumberType::fp64}};
    const auto kernel = make_kernel(unlimited(spec), wide.view(), all_rows(150));
    CHECK(refuses_wrong_products(*kernel, product, parts.data()));
    product.x.type = product.y.type = NumberType::fp32;  // the memory is large enough for that
    const auto kernel_in_fp32 = make_kernel(unlimited(spec), single.view(), all_rows(150));
    CHECK(refuses_wrong_products(*kernel_in_fp32, product, parts.data()));
  }
  CHECK(y == std::vector<double>(150, -7));
  CHECK(parts == std::vector<double>(8));
}

TEST_CASE("a refusal names both types") {
  const double entry = 1;
  CHECK(ConstVectorView{&entry, NumberType::fp64}.as<double>() == &entry);
  CHECK_THROWS_WITH((ConstVectorView{&entry, NumberType::fp64}.as<float>()),
                    "a kernel for vectors of fp32 was given one of fp64");
  CHECK_THROWS_WITH((VectorView{nullptr, NumberType::bf16}.as<double>()),
                    "a kernel for vectors of fp64 was given one of bf16");
}

TEST_CASE("every CPU format refuses options that it does not have") {
  const Matrix identity = pattern("identity", 4, 4, [](auto i, auto j) { return i == j; });
  const Typed<double> typed(identity);
  for (const FormatEntry& entry : formats()) {
    if (entry.device != Device::cpu) continue;
    for (const char* wrong : {":bogus=1", ":8", ":simd=128", ":simd=-1", ":simd=x"}) {
      INFO(entry.name << wrong);
      CHECK_THROWS_AS(make_kernel(std::string(entry.name) + wrong, typed.view(), all_rows(4)),
                      InputError);
    }
  }
}

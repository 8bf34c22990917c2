// SPDX-License-Identifier: BSD-3-Clause
//
// Every CPU format of the table on every matrix of the battery: exact on integers, within the
// rounding bound on random values. A new format is tested by its line in the table.
#include <omp.h>

#include <map>
#include <set>

#include "partition/base/errors.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

constexpr double factors[] = {0, 1, -0.5};

/// The matrices of the battery that a format pads too much, as it says; it takes all others. Those
/// whose listed rows alone are ragged count too.
const std::set<std::string>& refused(const std::string& spec) {
  static const std::map<std::string, std::set<std::string>> names{
      {"ell", {"dense row and column", "heavy last rows", "one heavy row"}},
      {"asell", {"dense row and column", "one heavy row"}},
      {"asell:codes=off,sigma=64", {"dense row and column", "heavy last rows", "one heavy row"}},
      {"dia",
       {"dense row and column", "every 4th row empty", "heavy last rows", "one heavy row", "random",
        "reversed random", "single column", "tall", "wide"}},
      {"bsr:b=3", {"single entry"}},
      {"bsr:b=8",
       {"dense row and column", "identity", "one heavy row", "random", "single column",
        "single entry", "single row", "tall", "wide"}},
      {"dense",
       {"asymmetric band", "blocks of 3", "dense row and column", "heavy last rows", "identity",
        "no entries", "one heavy row", "random", "stencil27", "tall", "wide"}},
  };
  static const std::set<std::string> none;
  const std::string without_simd = spec.substr(0, spec.find("simd") - 1);
  const auto found = names.find(without_simd);
  return found == names.end() ? none : found->second;
}

/// The kernel, or null where the format refuses the matrix: with its name and a reason.
std::unique_ptr<SpmvKernel> make_or_refuse(const std::string& spec, const CsrView& matrix,
                                           RowListView rows) {
  try {
    return make_kernel(spec, matrix, rows);
  } catch (const InputError& error) {
    const std::string prefix = "--format " + spec + ": ", message = error.what();
    INFO(message);
    REQUIRE(message.rfind(prefix, 0) == 0);
    REQUIRE(message.size() > prefix.size());
    return nullptr;
  }
}

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

/// All matrices, lists, alphas and betas through `spec`.
template <class T, class Vector, class Good>
void run_battery(const std::string& spec, const std::vector<Matrix>& matrices, const Vector& vector,
                 const Good& good) {
  std::set<std::string> refusing;
  for (const Matrix& matrix : matrices) {
    const Typed<T> typed(matrix);
    const auto x = vector(matrix.columns, 1);
    for (const NamedList& list : row_lists(matrix.rows())) {
      INFO(spec << ", " << matrix.name << ", " << list.name << ", " << sizeof(T) << " bytes");
      auto kernel = make_or_refuse(spec, typed.view(), list.view());
      if (!kernel) {
        refusing.insert(matrix.name);
        kernel = make_kernel(unlimited(spec), typed.view(), list.view());
      }
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
  INFO(spec);
  CHECK(refusing == refused(spec));
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
  }
  CHECK(seen.count({Device::cpu, "csr"}) == 1);
  CHECK(seen.count({Device::gpu, "sell"}) == 1);  // in every build
  CHECK(find_format("csr", Device::cpu).canonical);
  CHECK_FALSE(find_format("csr", Device::cpu).automatic);
  CHECK(find_format("sell", Device::cpu).automatic);
}

TEST_CASE("an unknown format lists the valid ones") {
  try {
    find_format("sel", Device::cpu);
    FAIL("accepted");
  } catch (const InputError& error) {
    const std::string message = error.what();
    INFO(message);
    CHECK(message.find("'sel'") != std::string::npos);
    CHECK(message.find("csr, ") != std::string::npos);
    CHECK(message.find("sell") != std::string::npos);
    CHECK(error.code() == ExitCode::usage);
  }
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

// SPDX-License-Identifier: BSD-3-Clause
//
// mixed, fp16 and bf16 on the GPU: formats for reduced precision in the table, on the battery:
// exact on integers but for the one rounding of y, within the bound of DESIGN otherwise; the others
// refuse.
#include "partition/base/numbers.hpp"
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

constexpr Precision reduced_precisions[] = {Precision::mixed, Precision::fp16, Precision::bf16};

/// Whether y_i is as right as the precision allows.
bool is_right(const Matrix& matrix, Precision precision, LocalIndex i, double alpha,
              const std::vector<double>& x, double beta, double before, double y, bool exact) {
  const NumberType sums = sum_type(precision), results = vector_type(precision);
  long double sum = 0, magnitude = 0;
  const Offset begin = matrix.offsets[i], end = matrix.offsets[i + 1];
  for (Offset e = begin; e < end; ++e) {
    const long double term = static_cast<long double>(matrix.values[e]) * x[matrix.indices[e]];
    sum += term;
    magnitude += std::fabs(term);
  }
  const long double kept = beta == 0 ? 0 : static_cast<long double>(beta) * before;
  const long double right = alpha * sum + kept;
  if (exact) return y == rounded_to(results, static_cast<double>(right));
  const auto n = static_cast<long double>(end - begin);
  const long double nu = (n + 3) * unit_roundoff(sums);
  const long double bound = 2 * nu / (1 - nu) * (std::fabs(alpha) * magnitude + std::fabs(kept)) +
                            unit_roundoff(results) * std::fabs(right) +
                            (n + 2) * smallest_subnormal(sums) + smallest_subnormal(results);
  return std::fabs(y - right) <= bound;
}

void check_reduced(const std::string& text, Precision precision, const Matrix& plain, bool exact) {
  Matrix matrix = exact ? plain : with_random_values(plain);
  matrix.values = rounded(matrix_type(precision), matrix.values);
  const NumberType type = vector_type(precision);
  const auto x = rounded(
      type, exact ? integers<double>(matrix.columns, 1) : uniform<double>(matrix.columns, 1));
  for (const NamedList& named : row_lists(matrix.rows())) {
    const StoredProblem problem(matrix, precision, named);
    const Spec spec = Spec::parse(text, "--format");
    std::unique_ptr<SpmvKernel> kernel;
    try {
      kernel = make_kernel(find_format(spec.name(), Device::gpu), problem.csr.view(), problem.rows,
                           spec);
    } catch (const InputError&) {
      CHECK((takes_few(text) || unlimited(text) != text));
      continue;
    }
    std::vector<bool> listed(static_cast<std::size_t>(matrix.rows()), false);
    for (const LocalIndex i : named.rows) listed[i] = true;
    for (const double alpha : {1.0, -0.5}) {
      for (const double beta : {0.0, 1.0, -0.5}) {
        auto before = rounded(
            type, exact ? integers<double>(matrix.rows(), 2) : uniform<double>(matrix.rows(), 2));
        if (beta == 0) before.assign(before.size(), std::numeric_limits<double>::quiet_NaN());
        const auto y = problem.product(*kernel, alpha, x, beta, before);
        for (LocalIndex i = 0; i < matrix.rows(); ++i) {
          const bool kept = canonical_bits(y[i]) == canonical_bits(before[i]);
          const bool right =
              listed[i] ? is_right(matrix, precision, i, alpha, x, beta, before[i], y[i], exact)
                        : kept;
          INFO(text << ", " << name_of(precision) << ", " << matrix.name << ", " << named.name
                    << ", alpha " << alpha << ", beta " << beta << ", row " << i << ", y " << y[i]);
          CHECK(right);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("formats for reduced precision multiply in mixed, fp16 and bf16") {
  for (const std::string& spec : gpu_specs(Baselines::left_out)) {
    if (!gpu_entry(spec).reduced_precision) continue;
    for (const Precision precision : reduced_precisions) {
      for (const Matrix& matrix : matrices()) {
        check_reduced(spec, precision, matrix, true);
        check_reduced(spec, precision, matrix, false);
      }
    }
  }
}

TEST_CASE("other formats refuse reduced precisions and name those that take them") {
  const Matrix identity = pattern("identity", 64, 64, [](auto i, auto j) { return i == j; });
  const std::vector<NamedList> lists = row_lists(64);
  for (const Precision precision : reduced_precisions) {
    const StoredProblem problem(identity, precision, lists[0]);
    for (const FormatEntry& entry : formats()) {
      if (entry.device != Device::gpu || entry.reduced_precision) continue;
      INFO(entry.name);
      try {
        make_kernel(entry, problem.csr.view(), problem.rows, Spec::parse(entry.name, "--format"));
        FAIL("accepted");
      } catch (const InputError& error) {
        CHECK(std::string(error.what()).find("csr-vector") != std::string::npos);
      }
    }
  }
}

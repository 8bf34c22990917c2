// SPDX-License-Identifier: BSD-3-Clause
//
// Several vectors at once on the GPU: each column of y beside the product with that column of x
// alone, in every format that takes several. Canonical formats have its bits; others are exact on
// integers, depend on no other column, and repeat. x and y at odd entries, padding that meets NaN,
// y that is not read with beta = 0, rows that are not listed.
#include <cmath>

#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

constexpr int counts[] = {2, 3, 7, 8, 16, 17, 32};

/// Column k of vectors in row layout.
std::vector<double> column_of(const std::vector<double>& vectors, int count, int k) {
  std::vector<double> column;
  for (std::size_t i = static_cast<std::size_t>(k); i < vectors.size();
       i += static_cast<std::size_t>(count)) {
    column.push_back(vectors[i]);
  }
  return column;
}

std::vector<double> row_layout(LocalIndex size, int count, std::uint64_t seed, bool exact) {
  return exact ? integers<double>(size * count, seed) : uniform<double>(size * count, seed);
}

/// Where vectors begin in device memory, in entries.
enum class Begin { even, odd };

/// Y of `count` vectors; what lies around it must stay.
std::vector<double> several(const StoredProblem& problem, const SpmvKernel& kernel, int count,
                            double alpha, const std::vector<double>& x, double beta,
                            const std::vector<double>& before, Begin begin) {
  const NumberType type = vector_type(problem.precision);
  const std::size_t skipped = begin == Begin::odd ? 1 : 0;
  const auto shifted = [&](const std::vector<double>& vectors) {
    std::vector<double> result(skipped, 77);
    result.insert(result.end(), vectors.begin(), vectors.end());
    result.push_back(77);
    return stored(type, result);
  };
  const DeviceArray<std::byte> device_x{std::span<const std::byte>(shifted(x))};
  const DeviceArray<std::byte> device_y{std::span<const std::byte>(shifted(before))};
  const std::size_t offset = skipped * bytes_of(type);
  const StreamHandle stream;
  LocalProduct product{.alpha = alpha,
                       .x = {device_x.data() + offset, type},
                       .beta = beta,
                       .y = {device_y.data() + offset, type}};
  product.vectors = count;
  kernel.apply(product, stream.stream());
  stream.synchronize();
  const std::vector<std::byte> bytes = device_y.to_host();
  std::vector<double> y(before.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = load(type, bytes.data(), static_cast<std::int64_t>(i + skipped));
  }
  for (std::size_t i = 0; i < skipped; ++i) {
    CHECK(load(type, bytes.data(), static_cast<std::int64_t>(i)) == 77);
  }
  CHECK(load(type, bytes.data(), static_cast<std::int64_t>(y.size() + skipped)) == 77);
  return y;
}

std::unique_ptr<SpmvKernel> make_several(const std::string& text, const StoredProblem& problem) {
  const Spec spec = Spec::parse(text, "--format");
  try {
    auto kernel =
        make_kernel(find_format(spec.name(), Device::gpu), problem.csr.view(), problem.rows, spec);
    return kernel->takes_several() ? std::move(kernel) : nullptr;
  } catch (const InputError&) {
    return nullptr;  // test_formats.cpp looks at what formats refuse
  }
}

bool near(double a, double b, NumberType type) {
  return std::fabs(a - b) <= 400 * unit_roundoff(type) * (1 + std::fabs(b));
}

/// The first entry of y that is not as the single product has it, or -1.
std::ptrdiff_t first_wrong(const std::vector<double>& y, const std::vector<double>& alone,
                           bool same_bits, NumberType type) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool fine = canonical_bits(y[i]) == canonical_bits(alone[i]) ||
                      (!same_bits && near(y[i], alone[i], type));
    if (!fine) return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

struct Factors {
  double alpha, beta;
};
constexpr Factors factors[] = {{1, 0}, {-0.5, 1}, {2, -0.5}};

/// One product of a case; cases differ in all of this.
struct Case {
  Precision precision;
  int count;  ///< of vectors
  Factors by;
  bool exact;  ///< on integers
  Begin begin;

  /// The `turn`-th: periods without a common factor, so that all meet all.
  Case(Precision its_precision, std::size_t turn)
      : precision(its_precision),
        count(counts[turn % std::size(counts)]),
        by(factors[turn % std::size(factors)]),
        exact(turn % 2 == 0),
        begin(turn % 4 == 3 ? Begin::odd : Begin::even) {}
};

/// Every column beside its own product. Returns whether the format took the matrix.
bool check_columns(const std::string& spec, const Case& its, const Matrix& plain,
                   const NamedList& list) {
  Matrix matrix = its.exact ? plain : with_random_values(plain);
  const NumberType type = vector_type(its.precision);
  matrix.values = rounded(matrix_type(its.precision), matrix.values);
  const StoredProblem problem(matrix, its.precision, list);
  const auto kernel = make_several(spec, problem);
  if (!kernel) return false;
  const auto [alpha, beta] = its.by;
  const int count = its.count;
  const auto x = rounded(type, row_layout(matrix.columns, count, 1, its.exact));
  auto before = rounded(type, row_layout(matrix.rows(), count, 2, its.exact));
  if (beta == 0) before.assign(before.size(), std::numeric_limits<double>::quiet_NaN());
  const auto y = several(problem, *kernel, count, alpha, x, beta, before, its.begin);
  const bool bits = its.exact || gpu_entry(spec).canonical;
  for (int k = 0; k < count; ++k) {
    INFO(spec << ", " << name_of(its.precision) << ", " << matrix.name << ", " << list.name << ", "
              << count << " vectors, column " << k << ", alpha " << alpha << ", beta " << beta);
    const auto alone =
        problem.product(*kernel, alpha, column_of(x, count, k), beta, column_of(before, count, k));
    CHECK(first_wrong(column_of(y, count, k), alone, bits, type) == -1);
  }
  return true;
}

constexpr Precision precisions[] = {Precision::fp64, Precision::fp32, Precision::mixed};

}  // namespace

TEST_CASE("several vectors on the GPU: each column has what its product alone has") {
  std::size_t turn = 0;
  for (const std::string& spec : gpu_specs(Baselines::left_out)) {
    int taken = 0;
    for (const Matrix& matrix : matrices()) {
      const auto lists = row_lists(matrix.rows());
      for (const Precision precision : precisions) {
        if (precision == Precision::mixed && !gpu_entry(spec).reduced_precision) continue;
        for (int repeat = 0; repeat < 2; ++repeat, ++turn) {
          const NamedList& list = lists[turn % lists.size()];
          if (check_columns(spec, Case(precision, turn), matrix, list)) ++taken;
        }
      }
    }
    INFO(spec << ", " << taken << " products");
    CHECK((taken == 0 || taken >= 8));
  }
}

TEST_CASE("formats that auto may choose on the GPU for several vectors take them") {
  const Matrix matrix = pattern("band", 64, 64, [](auto i, auto j) { return std::abs(i - j) < 2; });
  for (const Precision precision : precisions) {
    const StoredProblem problem(matrix, precision, row_lists(64)[0]);
    for (const char* spec : {"sell", "asell", "asell:codes=off", "bsr:b=2,max_padding=1e9",
                             "csr-vector", "csr-balanced", "csr-packed"}) {
      INFO(spec << ", " << name_of(precision));
      CHECK(make_several(spec, problem) != nullptr);
    }
    if (precision == Precision::mixed) continue;
    for (const char* spec : {"ell", "dia"}) {
      INFO(spec << ", " << name_of(precision));
      CHECK(make_several(spec, problem) != nullptr);
    }
  }
  const StoredProblem half(matrix, Precision::fp16, row_lists(64)[0]);
  CHECK(make_several("sell", half) == nullptr);
}

TEST_CASE("several vectors on the GPU: NaN stays in its column and its rows", "[short]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Matrix matrix = pattern("every 4th row empty", 106, 90, [](auto i, auto j) {
    return i % 4 != 1 && j > 0 && (i * 7 + j) % 11 < 3;
  });
  const StoredProblem problem(matrix, Precision::fp64, row_lists(matrix.rows())[0]);
  for (const std::string& spec : gpu_specs(Baselines::left_out)) {
    const auto kernel = make_several(spec, problem);
    if (!kernel) continue;
    for (const int count : {2, 7, 8, 17}) {
      auto x = integers<double>(matrix.columns * count, 1);
      const auto before = integers<double>(matrix.rows() * count, 2);
      const auto right = several(problem, *kernel, count, 2, x, -1, before, Begin::even);
      for (int k = 0; k < count; ++k) x[k] = nan;  // row 0 of X, where padding may load
      CHECK(several(problem, *kernel, count, 2, x, -1, before, Begin::even) == right);
      // Column 1 alone: the others keep their bits, and the same once more.
      for (LocalIndex i = 0; i < matrix.columns; ++i) x[i * count + 1] = nan;
      const auto spoiled = several(problem, *kernel, count, 2, x, -1, before, Begin::even);
      INFO(spec << ", " << count << " vectors");
      for (int k = 0; k < count; ++k) {
        if (k != 1) CHECK(column_of(spoiled, count, k) == column_of(right, count, k));
      }
      CHECK(same_bits(several(problem, *kernel, count, 2, x, -1, before, Begin::even), spoiled));
    }
  }
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Several vectors at once on the CPU: every format that takes them, with every instruction set and
// numbers of vectors that fill registers or do not. Canonical formats give each column the bits of
// the product with that column alone; the others are within its bound, and no column depends on its
// neighbours.
#include <omp.h>

#include <array>

#include "kernels/cpu/several.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

constexpr std::array numbers_of_vectors{1, 2, 3, 7, 8, 16, 17, 32};

std::vector<std::string> several_specs(bool canonical) {
  std::vector<std::string> specs;
  for (const std::string& spec : cpu_specs(false)) {
    const FormatEntry& entry = find_format(spec.substr(0, spec.find(':')), Device::cpu);
    if (entry.canonical == canonical) specs.push_back(spec);
  }
  if (!canonical) {
    for (const char* b : {"4", "5", "7"}) specs.push_back(std::string("bsr:b=") + b);
    return specs;
  }
  for (const std::string& simd : simd_options()) {
    specs.push_back("sell:c=32,sigma=64," + simd);
    specs.push_back("sell:c=1," + simd);
    specs.push_back("csr-omp:codes=on," + simd);
  }
  return specs;
}

template <class T>
std::vector<T> column_of(const std::vector<T>& all, int k, int vectors) {
  std::vector<T> column;
  for (std::size_t i = k; i < all.size(); i += vectors) column.push_back(all[i]);
  return column;
}
template <class T>
void set_column(std::vector<T>& all, int k, int vectors, const std::vector<T>& column) {
  for (std::size_t i = 0; i < column.size(); ++i) all[i * vectors + k] = column[i];
}

template <class T>
std::vector<T> product_of_several(const SpmvKernel& kernel, int vectors, T alpha,
                                  const std::vector<T>& x, T beta, std::vector<T> y) {
  constexpr NumberType type = number_type_of<T>;
  kernel.apply({.alpha = alpha,
                .x = {x.data(), type},
                .beta = beta,
                .y = {y.data(), type},
                .vectors = vectors},
               {});
  return y;
}

/// One case of the battery: vectors in row layout, y of NaN where beta is zero.
template <class T>
struct Case {
  Case(const Matrix& matrix, int vectors, T alpha, T beta)
      : typed(matrix), vectors(vectors), alpha(alpha), beta(beta) {
    x = uniform<T>(matrix.columns * vectors, 4);
    y = uniform<T>(matrix.rows() * vectors, 5);
    if (beta == 0) std::fill(y.begin(), y.end(), std::numeric_limits<T>::quiet_NaN());
    if (matrix.columns < 2) return;
    x.front() = std::numeric_limits<T>::quiet_NaN();  // what careless padding would read
    x.back() = std::numeric_limits<T>::infinity();
  }
  std::vector<T> by_the_bits_of_columns(const std::vector<LocalIndex>& rows) const {
    std::vector<T> result = y;
    for (int k = 0; k < vectors; ++k) {
      set_column(result, k, vectors,
                 by_the_bits(typed, rows, alpha, column_of(x, k, vectors), beta,
                             column_of(y, k, vectors)));
    }
    return result;
  }

  const Typed<T> typed;
  int vectors;
  T alpha, beta;
  std::vector<T> x, y;
};

/// Calls check(case, list) for each matrix, list of rows and number of vectors, with alpha and beta
/// in turn.
template <class T, class Check>
void for_each_case(const Check& check) {
  constexpr std::array<std::pair<T, T>, 4> factors{
      std::pair<T, T>{T(1), T(0)}, {T(0.7), T(-1.3)}, {T(-0.5), T(1)}, {T(0), T(-0.5)}};
  std::size_t turn = 0;
  for (const Matrix& plain : matrices()) {
    const Matrix matrix = with_random_values(plain);
    for (const NamedList& list : row_lists(matrix.rows())) {
      for (const int vectors : numbers_of_vectors) {
        const auto [alpha, beta] = factors[turn++ % factors.size()];
        check(Case<T>(matrix, vectors, alpha, beta), list);
      }
    }
  }
}

template <class T>
void check_canonical() {
  const std::vector<std::string> specs = several_specs(true);
  int checked = 0;
  for_each_case<T>([&](const Case<T>& c, const NamedList& list) {
    const auto right = c.by_the_bits_of_columns(list.rows);
    for (const std::string& spec : specs) {
      const auto kernel = make_kernel(unlimited(spec), c.typed.view(), list.view());
      if (!kernel->takes_several()) continue;
      INFO(spec << ", " << c.typed.matrix.name << ", " << list.name << ", " << c.vectors
                << " vectors of " << sizeof(T) << " bytes, alpha " << c.alpha << ", beta "
                << c.beta);
      const bool same =
          same_bits(product_of_several(*kernel, c.vectors, c.alpha, c.x, c.beta, c.y), right);
      CHECK(same);
      ++checked;
    }
  });
  CHECK(checked > 0);
}

/// Whether the column is right within its bound, and rows that are not listed are as before.
template <class T>
bool is_near(const Case<T>& c, const std::vector<LocalIndex>& rows, int k,
             const std::vector<T>& column) {
  const auto x = column_of(c.x, k, c.vectors), before = column_of(c.y, k, c.vectors);
  auto right = before;
  for (const LocalIndex i : rows) {
    const Expected one = expected(c.typed, i, c.alpha, x, c.beta, before[i]);
    const bool finite = std::isfinite(one.y);
    const bool near = finite ? std::fabs(one.y - column[i]) <= one.bound
                             : std::isnan(one.y) == std::isnan(column[i]);
    if (!near) return false;
    right[i] = column[i];
  }
  return same_bits(right, column);
}

template <class T>
void check_others() {
  const std::vector<std::string> specs = several_specs(false);
  int checked = 0;
  for_each_case<T>([&](const Case<T>& c, const NamedList& list) {
    for (const std::string& spec : specs) {
      const auto kernel = make_kernel(unlimited(spec), c.typed.view(), list.view());
      if (!kernel->takes_several()) continue;
      INFO(spec << ", " << c.typed.matrix.name << ", " << list.name << ", " << c.vectors
                << " vectors of " << sizeof(T) << " bytes, alpha " << c.alpha << ", beta "
                << c.beta);
      const auto y = product_of_several(*kernel, c.vectors, c.alpha, c.x, c.beta, c.y);
      for (int k = 0; k < c.vectors; ++k) {
        const bool near = is_near(c, list.rows, k, column_of(y, k, c.vectors));
        CHECK(near);
      }
      // The last column among columns of NaN.
      std::vector<T> x(c.x.size(), std::numeric_limits<T>::quiet_NaN());
      set_column(x, c.vectors - 1, c.vectors, column_of(c.x, c.vectors - 1, c.vectors));
      const auto alone = product_of_several(*kernel, c.vectors, c.alpha, x, c.beta, c.y);
      const bool independent = same_bits(column_of(alone, c.vectors - 1, c.vectors),
                                         column_of(y, c.vectors - 1, c.vectors));
      CHECK(independent);
      ++checked;
    }
  });
  CHECK(checked > 0);
}

/// Rows of three entries, so many that y goes past the caches.
template <class T>
void check_streamed(int vectors) {
  constexpr int threads = 2;
  const auto rows = static_cast<LocalIndex>(
      threads * (streamed_from_bytes / (vectors * std::int64_t{sizeof(T)}) + 100));
  Matrix matrix;
  matrix.name = "many rows";
  matrix.columns = rows;
  for (LocalIndex i = 0; i < rows; ++i) {
    for (LocalIndex j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j) {
      matrix.add(j, uniform_value(i, j));
    }
    matrix.end_row();
  }
  const Case<T> c(matrix, vectors, T(0.7), T(0));
  std::vector<LocalIndex> all(rows);
  for (LocalIndex i = 0; i < rows; ++i) all[i] = i;
  const auto right = c.by_the_bits_of_columns(all);
  for (const std::string spec : {"csr-omp", "sell", "asell", "ell"}) {
    INFO(spec << ", " << vectors << " vectors of " << sizeof(T) << " bytes");
    std::vector<T> y(c.y.size() + 2, T(5));
    const auto kernel = make_kernel(spec, c.typed.view(), all_rows(rows));
    constexpr NumberType type = number_type_of<T>;
    kernel->apply({.alpha = 0.7,
                   .x = {c.x.data(), type},
                   .beta = 0,
                   .y = {y.data() + 1, type},
                   .vectors = vectors},
                  {});
    const bool same = same_bits(std::vector<T>(y.begin() + 1, y.end() - 1), right);
    CHECK(same);
    CHECK(y.front() == 5);
    CHECK(y.back() == 5);
  }
}

}  // namespace

TEST_CASE("several vectors: each column has the bits of canonical formats") {
  omp_set_num_threads(2);
  check_canonical<double>();
  check_canonical<float>();
}

TEST_CASE("several vectors: other formats are near, and columns do not depend on each other") {
  omp_set_num_threads(2);
  check_others<double>();
  check_others<float>();
}

TEST_CASE("several vectors: y that goes past the caches") {
  omp_set_num_threads(2);
  check_streamed<double>(31);
  check_streamed<float>(32);
}

TEST_CASE("several vectors: the CPU formats that take them") {
  const Matrix matrix = blocked(30);
  const Typed<double> typed(matrix);
  std::string names;
  for (const FormatEntry& entry : formats()) {
    if (entry.device != Device::cpu) continue;
    const auto kernel = make_kernel(unlimited(entry.name), typed.view(), all_rows(matrix.rows()));
    if (kernel->takes_several()) names += std::string(entry.name) + " ";
  }
  CHECK(names == "csr csr-omp ell sell asell dia bsr ");
}

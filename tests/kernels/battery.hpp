// SPDX-License-Identifier: BSD-3-Clause
//
// What every kernel is tested on: named small matrices that each hold one difficulty, in integers
// so that products are exact; row lists; and the two oracles, exact (or long double) and by the
// bits. Model: the sparse test battery of gunrock/loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "partition/base/hash.hpp"
#include "partition/base/row_list.hpp"
#include "tests/kernels/specs.hpp"

namespace rowhalo::battery {

struct Matrix {
  std::string name;
  LocalIndex columns = 0;
  std::vector<Offset> offsets{0};
  std::vector<LocalIndex> indices;
  std::vector<double> values;

  LocalIndex rows() const { return static_cast<LocalIndex>(offsets.size()) - 1; }
  void add(LocalIndex column, double value) {
    indices.push_back(column);
    values.push_back(value);
  }
  void end_row() { offsets.push_back(static_cast<Offset>(indices.size())); }
};

/// A small integer that is not zero, a function of its place alone.
inline double integer_at(std::uint64_t i, std::uint64_t j) {
  const auto magnitude = static_cast<double>(1 + mix64(i, j) % 4);
  return mix64(j, i) % 2 == 0 ? magnitude : -magnitude;
}

/// The matrix with an entry wherever has(row, column).
template <class Has>
Matrix pattern(std::string name, LocalIndex rows, LocalIndex columns, const Has& has) {
  Matrix matrix;
  matrix.name = std::move(name);
  matrix.columns = columns;
  for (LocalIndex i = 0; i < rows; ++i) {
    for (LocalIndex j = 0; j < columns; ++j) {
      if (has(i, j)) matrix.add(j, integer_at(i, j));
    }
    matrix.end_row();
  }
  return matrix;
}

/// 27-point stencil: rows of 8 to 27 entries, the longest in runs.
inline Matrix stencil(LocalIndex nx, LocalIndex ny, LocalIndex nz) {
  const auto near = [](LocalIndex a, LocalIndex b) { return std::abs(a - b) <= 1; };
  return pattern("stencil27", nx * ny * nz, nx * ny * nz, [=](LocalIndex i, LocalIndex j) {
    return near(i % nx, j % nx) && near(i / nx % ny, j / nx % ny) && near(i / nx / ny, j / nx / ny);
  });
}

/// Rows of 0 to 40 entries.
inline Matrix random(LocalIndex rows, LocalIndex columns) {
  return pattern("random", rows, columns, [=](LocalIndex i, LocalIndex j) {
    return mix64(mix64(7, i), j) % columns < mix64(9, i) % 41;
  });
}

/// The same with every row's entries in reverse: stored order is not column order.
inline Matrix reversed(Matrix matrix) {
  matrix.name = "reversed " + matrix.name;
  for (LocalIndex i = 0; i < matrix.rows(); ++i) {
    const Offset begin = matrix.offsets[i], end = matrix.offsets[i + 1];
    std::reverse(matrix.indices.begin() + begin, matrix.indices.begin() + end);
    std::reverse(matrix.values.begin() + begin, matrix.values.begin() + end);
  }
  return matrix;
}

/// The same pattern with values in [-1, 1).
inline Matrix with_random_values(Matrix matrix) {
  for (std::size_t e = 0; e < matrix.values.size(); ++e) matrix.values[e] = uniform_value(5, e);
  return matrix;
}

/// The same with one number for all entries that are as far from the diagonal, of four: the
/// equation of a grid with constant coefficients.
inline Matrix with_values_by_offset(Matrix matrix) {
  matrix.name += ", values by offset";
  for (LocalIndex i = 0; i < matrix.rows(); ++i) {
    for (Offset e = matrix.offsets[i]; e < matrix.offsets[i + 1]; ++e) {
      matrix.values[e] = 1 + ((matrix.indices[e] - i) & 3);
    }
  }
  return matrix;
}

/// Rows of a cut grid: the ghosts of the plane below, numbered behind all own columns, come first;
/// a row at the end of a line of `line` rows lacks what lies beyond.
inline Matrix with_ghosts_first(LocalIndex rows, LocalIndex line) {
  Matrix matrix;
  matrix.name = "ghosts first";
  matrix.columns = 3 * rows;
  for (LocalIndex i = 0; i < rows; ++i) {
    for (const LocalIndex plane : {2 * rows, 0, rows}) {
      for (LocalIndex d = -1; d <= 1; ++d) {
        const LocalIndex along = i % line + d;
        if (along >= 0 && along < line) matrix.add(plane + i + d, 1);
      }
    }
    matrix.end_row();
  }
  return matrix;
}

/// Nodes of 3 unknowns, each joined to the next and to one further on: blocks of 3 x 3, of which
/// some lack an entry.
inline Matrix blocked(LocalIndex nodes) {
  return pattern("blocks of 3", 3 * nodes, 3 * nodes, [=](LocalIndex i, LocalIndex j) {
    const LocalIndex step = (j / 3 - i / 3 + nodes) % nodes;
    return (step == 0 || step == 1 || step == 5) && (i * 31 + j) % 23 != 0;
  });
}

inline std::vector<Matrix> matrices() {
  const auto never = [](LocalIndex, LocalIndex) { return false; };
  const auto always = [](LocalIndex, LocalIndex) { return true; };
  return {
      pattern("0 x 0", 0, 0, never),
      pattern("0 x 5", 0, 5, never),
      pattern("no entries", 40, 40, never),
      pattern("single entry", 1, 1, always),
      pattern("single row", 1, 57, always),
      pattern("single column", 57, 1, always),
      pattern("identity", 100, 100, [](LocalIndex i, LocalIndex j) { return i == j; }),
      pattern("asymmetric band", 131, 131,
              [](LocalIndex i, LocalIndex j) { return j >= i - 3 && j <= i + 1; }),
      pattern("one heavy row", 97, 97,
              [](LocalIndex i, LocalIndex j) { return i == j || i == 40; }),
      pattern("heavy last rows", 43, 43,
              [](LocalIndex i, LocalIndex j) { return i == j || i >= 40; }),
      pattern("every 4th row empty", 106, 90,
              [](LocalIndex i, LocalIndex j) { return i % 4 != 1 && (i * 7 + j) % 11 < 3; }),
      pattern("dense row and column", 70, 70,
              [](LocalIndex i, LocalIndex j) { return i == j || i == 0 || j == 0; }),
      pattern("wide", 21, 333, [](LocalIndex i, LocalIndex j) { return (i + j) % 9 == 0; }),
      pattern("tall", 333, 21, [](LocalIndex i, LocalIndex j) { return (i + j) % 9 == 0; }),
      pattern("full", 45, 70, always),
      stencil(7, 6, 5),
      with_values_by_offset(stencil(70, 3, 2)),
      blocked(30),
      random(301, 257),
      reversed(random(150, 120)),
  };
}

/// The values of a matrix in the precision T, and its view.
template <class T>
struct Typed {
  explicit Typed(const Matrix& source)
      : matrix(source), values(source.values.begin(), source.values.end()) {}

  CsrView view() const {
    return {matrix.rows(),
            matrix.columns,
            matrix.offsets.back(),
            matrix.offsets.data(),
            matrix.indices.data(),
            values.data(),
            sizeof(T) == 8 ? Precision::fp64 : Precision::fp32,
            Device::cpu};
  }

  const Matrix& matrix;
  std::vector<T> values;
};

struct NamedList {
  std::string name;
  std::vector<LocalIndex> rows;  ///< what the list holds
  RowList list;
  bool all = false;  ///< hand over the list without memory

  RowListView view() const {
    return all ? all_rows(static_cast<LocalIndex>(rows.size())) : list.view();
  }
};

inline std::vector<NamedList> row_lists(LocalIndex rows) {
  std::vector<LocalIndex> every, third, range;
  for (LocalIndex i = 0; i < rows; ++i) {
    every.push_back(i);
    if (i % 3 == 1) third.push_back(i);
    if (i >= 5 && i < rows - 6) range.push_back(i);
  }
  std::vector<NamedList> lists{{"all", every, {}, true},
                               {"all, listed", every, {}, false},
                               {"every third", third, {}, false},
                               {"a range", range, {}, false},
                               {"empty", {}, {}, false}};
  for (NamedList& list : lists) list.list = make_row_list(list.rows);
  return lists;
}

/// y by the definition of the bits, rows one after the other, std::fma.
template <class T>
std::vector<T> by_the_bits(const Typed<T>& a, const std::vector<LocalIndex>& rows, T alpha,
                           const std::vector<T>& x, T beta, std::vector<T> y) {
  for (const LocalIndex i : rows) {
    T s = 0;
    for (Offset e = a.matrix.offsets[i]; e < a.matrix.offsets[i + 1]; ++e) {
      s = std::fma(a.values[e], x[a.matrix.indices[e]], s);
    }
    y[i] = beta == 0 ? alpha * s : std::fma(alpha, s, beta * y[i]);
  }
  return y;
}

/// y_i in long double, and the bound on the error of any order of summation (DESIGN, Validation).
struct Expected {
  long double y, bound;
};
template <class T>
Expected expected(const Typed<T>& a, LocalIndex i, T alpha, const std::vector<T>& x, T beta,
                  T y_before) {
  long double sum = 0, magnitude = 0;
  const Offset begin = a.matrix.offsets[i], end = a.matrix.offsets[i + 1];
  for (Offset e = begin; e < end; ++e) {
    const long double term =
        static_cast<long double>(a.values[e]) * static_cast<long double>(x[a.matrix.indices[e]]);
    sum += term;
    magnitude += std::fabs(term);
  }
  const long double kept = beta == 0 ? 0 : static_cast<long double>(beta) * y_before;
  const long double y = alpha * sum + kept;
  const long double unit = std::numeric_limits<T>::epsilon() / 2;
  const auto entries = static_cast<long double>(end - begin);
  const long double gamma = (entries + 3) * unit / (1 - (entries + 3) * unit);
  return {y, 2 * gamma * (std::fabs(alpha * magnitude) + std::fabs(kept)) + unit * std::fabs(y) +
                 (entries + 2) * std::numeric_limits<T>::denorm_min()};
}

/// x (or y) of small integers, or in [-1, 1).
template <class T>
std::vector<T> integers(LocalIndex size, std::uint64_t seed) {
  std::vector<T> result;
  for (LocalIndex i = 0; i < size; ++i) result.push_back(static_cast<T>(integer_at(seed, i)));
  return result;
}
template <class T>
std::vector<T> uniform(LocalIndex size, std::uint64_t seed) {
  std::vector<T> result;
  for (LocalIndex i = 0; i < size; ++i) result.push_back(static_cast<T>(uniform_value(seed, i)));
  return result;
}

/// Same bits in every entry; one NaN is as good as another.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](T p, T q) { return canonical_bits(p) == canonical_bits(q); });
}

/// 64 rows of one entry, of which row 10 has all `columns`. With 200000 of them the padding of most
/// formats is beyond the limits; slices of 32 rows pad 31 times the nonzeros.
inline Matrix one_long_row(LocalIndex columns) {
  return pattern("one long row", 64, columns,
                 [](LocalIndex i, LocalIndex j) { return i == j || i == 10; });
}

/// 200063 nonzeros.
inline const Matrix& heavy() {
  static const Matrix matrix = one_long_row(200000);
  return matrix;
}

inline std::unique_ptr<SpmvKernel> make_kernel(const std::string& text, const CsrView& matrix,
                                               RowListView rows) {
  const Spec spec = Spec::parse(text, "--format");
  return make_kernel(find_format(spec.name(), Device::cpu), matrix, rows, spec);
}

/// Of all rows.
inline KernelWork work_of(const std::string& spec, const CsrView& matrix) {
  return make_kernel(spec, matrix, all_rows(matrix.rows))->work();
}

/// One product into a copy of y.
template <class T>
std::vector<T> product(const SpmvKernel& kernel, T alpha, const std::vector<T>& x, T beta,
                       std::vector<T> y) {
  constexpr NumberType type = number_type_of<T>;
  kernel.apply({alpha, {x.data(), type}, beta, {y.data(), type}}, {});
  return y;
}

inline bool refuses(const SpmvKernel& kernel, const LocalProduct& product) {
  try {
    kernel.apply(product, {});
  } catch (const std::logic_error&) {
    return true;
  }
  return false;
}

/// Whether it refuses vectors of another type, more than it takes, and a dot product that it does
/// not sum. `right`: a product that it takes.
inline bool refuses_wrong_products(const SpmvKernel& kernel, const LocalProduct& right,
                                   double* parts) {
  LocalProduct other_x = right, other_y = right, several = right, dot = right;
  other_x.x.type = right.x.type == NumberType::fp64 ? NumberType::fp32 : NumberType::fp64;
  other_y.y.type = other_x.x.type;
  several.vectors = kernel.takes_several() ? most_vectors + 1 : 2;
  dot.dot_parts = parts;
  return refuses(kernel, other_x) && refuses(kernel, other_y) && refuses(kernel, several) &&
         (kernel.dot_parts().has_value() || refuses(kernel, dot));
}

/// The sum of x[i] y[i] over the listed rows: exact on small integers.
inline double dot_of_listed(const NamedList& list, const std::vector<double>& x,
                            const std::vector<double>& y) {
  double sum = 0;
  for (const LocalIndex i : list.rows) sum += x[i] * y[i];
  return sum;
}

/// Those that have an entry of x for each row, and one with more rows than a piece has.
inline std::vector<Matrix> matrices_with_dots() {
  std::vector<Matrix> result;
  for (Matrix& matrix : matrices()) {
    if (matrix.rows() <= matrix.columns) result.push_back(std::move(matrix));
  }
  result.push_back(stencil(31, 17, 7));
  result.push_back(with_values_by_offset(stencil(64, 6, 5)));
  return result;
}

}  // namespace rowhalo::battery

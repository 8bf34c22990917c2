// SPDX-License-Identifier: BSD-3-Clause
//
// What only asell on the CPU has: which index code a slice gets, steps over wide gaps, blocks,
// tables of values, and its own choice of sigma. Its results on the battery are tested with those
// of the other formats in test_formats.cpp and test_bits.cpp.
#include <omp.h>

#include "kernels/cpu/value_codes.hpp"
#include "partition/base/errors.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

/// `parameters` begins with `start`, and y has the bits of the plain loop for every list of rows,
/// with each instruction set, where the columns that no entry refers to hold NaN.
void check(const std::string& spec, const Matrix& plain, const std::string& start, int block = 1) {
  const Matrix matrix = with_random_values(plain);
  const Typed<double> typed(matrix);
  CsrView view = typed.view();
  view.block = block;
  std::vector<double> x(static_cast<std::size_t>(matrix.columns), std::nan(""));
  for (const LocalIndex column : matrix.indices) x[column] = uniform_value(3, column);
  const auto before = uniform<double>(matrix.rows(), 2);
  for (const std::string& simd : simd_options()) {
    const std::string text = with_option(spec, simd);
    INFO(text << ", " << matrix.name);
    CHECK(work_of(text, view).parameters.rfind(start, 0) == 0);
    for (const NamedList& list : row_lists(matrix.rows())) {
      INFO(list.name);
      const auto kernel = make_kernel(text, view, list.view());
      CHECK(same_bits(product(*kernel, 0.7, x, -1.3, before),
                      by_the_bits(typed, list.rows, 0.7, x, -1.3, before)));
    }
  }
}

/// Rows of `length` entries whose distances are at random below `widest`, from the diagonal on.
Matrix of_gaps(LocalIndex rows, LocalIndex length, LocalIndex widest) {
  Matrix matrix;
  matrix.name = "gaps below " + std::to_string(widest);
  matrix.columns = rows + length * widest;
  for (LocalIndex i = 0; i < rows; ++i) {
    LocalIndex column = i;
    for (LocalIndex k = 0; k < length; ++k) {
      column += static_cast<LocalIndex>(mix64(mix64(7, i), k) % widest);
      matrix.add(column, 1);
    }
    matrix.end_row();
  }
  return matrix;
}

/// The same, where row 40 has one distance of `gap`.
Matrix with_gap(Matrix matrix, LocalIndex gap) {
  matrix.columns += gap;
  for (Offset e = matrix.offsets[40] + 17; e < matrix.offsets[41]; ++e) matrix.indices[e] += gap;
  const Offset wide = matrix.offsets[40] + 17;
  const LocalIndex shift = matrix.indices[wide] - matrix.indices[wide - 1] - gap;
  for (Offset e = wide; e < matrix.offsets[41]; ++e) matrix.indices[e] -= shift;
  return matrix;
}

/// Rows of `values` one after the other, `row` a row, in columns 0, 1, ...
Matrix of_values(const std::vector<double>& values, LocalIndex rows, LocalIndex row) {
  Matrix matrix;
  matrix.name = "values";
  matrix.columns = row;
  std::size_t next = 0;
  for (LocalIndex i = 0; i < rows; ++i) {
    for (LocalIndex j = 0; j < row - i % 2; ++j) matrix.add(j, values[next++ % values.size()]);
    matrix.end_row();
  }
  return matrix;
}

}  // namespace

TEST_CASE("asell takes for each slice the code of the fewest bytes") {
  omp_set_num_threads(2);
  const auto band = [](LocalIndex i, LocalIndex j) { return std::abs(i - j) <= 2; };
  check("asell", pattern("band", 96, 96, band), "offsets 100 %");
  check("asell", pattern("band", 70, 96, band), "offsets 9");  // a last slice of 6 rows
  check("asell", of_gaps(64, 20, 200), "8-bit 100 %");
  check("asell", of_gaps(64, 20, 50000), "16-bit 100 %");
  check("asell", of_gaps(64, 20, 1000000), "32-bit 100 %");
  check("asell", reversed(of_gaps(64, 20, 50000)), "32-bit 100 %");
  Matrix mixed = of_gaps(64, 20, 5000);
  std::reverse(mixed.indices.begin() + mixed.offsets[40],
               mixed.indices.begin() + mixed.offsets[41]);
  check("asell", mixed, "16-bit 50 %, 32-bit 50 %");
}

TEST_CASE("distances of asell go from the last column on to the first") {
  omp_set_num_threads(2);
  // Ghosts of lower ranks come first in a row, and have the highest local columns.
  const auto turned = [](Matrix matrix, LocalIndex by) {
    for (LocalIndex& column : matrix.indices) column = (column + by) % matrix.columns;
    return matrix;
  };
  for (const LocalIndex by : {1, 1000, 4063}) {
    INFO("turned by " << by);
    check("asell", turned(of_gaps(64, 20, 200), by), "8-bit 100 %");
  }
  for (const LocalIndex by : {1, 123456, 999999}) {
    INFO("turned by " << by);
    check("asell", turned(of_gaps(64, 20, 50000), by), "16-bit 100 %");
  }
  for (const LocalIndex gap : {509, 510, 511}) {
    INFO("gap " << gap);
    const Matrix wide = with_gap(of_gaps(64, 40, 100), gap);
    for (LocalIndex by = 0; by < wide.columns; by += 97) check("asell", turned(wide, by), "");
  }
  // No distance of fewer columns than a code can name needs a second step: any order will do.
  check("asell", reversed(of_gaps(64, 20, 3000)), "16-bit 100 %");
  const Matrix few = reversed(pattern(
      "few columns", 64, 200, [](LocalIndex i, LocalIndex j) { return mix64(i, j) % 16 == 0; }));
  check("asell:sigma=1", few, "8-bit 100 %");
}

TEST_CASE("asell shares the offsets of rows whose ghosts come before their own columns") {
  for (const LocalIndex line : {320, 40}) {
    const Matrix matrix = with_ghosts_first(320, line);
    check("asell:codes=off", matrix, "offsets 100 %");
    // No step twice: 9 of 8 bytes per row and of 8 per slice.
    const Typed<double> typed(matrix);
    const KernelWork work = work_of("asell:codes=off", typed.view());
    CHECK(work.matrix_bytes < 320 * 9 * 8 + 10 * (9 * 8 + 32) + 320 * 4);
  }
}

TEST_CASE("asell steps over gaps wider than its codes") {
  omp_set_num_threads(2);
  for (const LocalIndex gap : {253, 254, 255, 256, 509, 510, 511, 764, 765}) {
    INFO("gap " << gap);
    check("asell", with_gap(of_gaps(64, 40, 100), gap), "8-bit 100 %");
  }
  for (const LocalIndex gap : {65533, 65534, 65535, 65536, 131069, 131070, 131071}) {
    INFO("gap " << gap);
    check("asell", with_gap(of_gaps(64, 40, 20000), gap), "16-bit 100 %");
  }
}

TEST_CASE("asell asks ahead for an x that is larger than a cache") {
  check("asell", of_gaps(150, 16, 200000), "32-bit 100 %");
  Matrix ragged;  // padding among the columns that are asked for
  ragged.name = "ragged";
  ragged.columns = 3000000;
  for (LocalIndex i = 0; i < 150; ++i) {
    for (LocalIndex k = 0; k < 20 - i % 3; ++k) ragged.add(i * 7 + k * 140000, 1);
    ragged.end_row();
  }
  check("asell", ragged, "32-bit 100 %");
}

TEST_CASE("asell asks ahead for values that are larger than a cache") {
  omp_set_num_threads(2);
  const LocalIndex rows = 10016, length = 32;  // of each thread 1.28 MB in fp64
  check("asell", of_gaps(rows, length, 9), "8-bit 100 %");
  check("asell", of_gaps(rows, length, 900), "16-bit 100 %");
}

TEST_CASE("rows that begin far apart cost steps, not columns out of bounds") {
  omp_set_num_threads(2);
  // Row i begins 9 i columns from the diagonal; the shortest end early, the longest last.
  Matrix matrix;
  matrix.name = "fan";
  matrix.columns = 4000;
  for (LocalIndex i = 0; i < 64; ++i) {
    for (LocalIndex k = 0; k < 20 + i; ++k) {
      matrix.add(static_cast<LocalIndex>(10 * i + 40 * k + mix64(i, k) % 40), 1);
    }
    matrix.end_row();
  }
  check("asell:sigma=1", matrix, "8-bit 100 %");
}

TEST_CASE("masks of asell at the edges of x") {
  omp_set_num_threads(2);
  const Matrix matrix = pattern("far diagonals", 300, 280, [](LocalIndex i, LocalIndex j) {
    return (j - i == 0 || j - i == 37 || j - i == -41) && j != 77 && j != 101 && i % 50 != 7;
  });
  check("asell:sigma=1", matrix, "offsets");
}

TEST_CASE("rows of a block share the offsets of asell") {
  omp_set_num_threads(2);
  // Whole blocks of 3 x 3: 9 steps for the rows of a slice, 32 rows or not a multiple of 3.
  Matrix matrix = pattern("blocks", 96, 96,
                          [](LocalIndex i, LocalIndex j) { return std::abs(i / 3 - j / 3) <= 1; });
  check("asell", matrix, "offsets 100 %", 3);
  // One value, which costs nothing: else what pays depends on the instruction set.
  std::fill(matrix.values.begin(), matrix.values.end(), 0.1);
  const Typed<double> typed(matrix);
  CsrView view = typed.view();
  view.block = 3;
  CHECK(work_of("asell", view).stored_entries == 96 * 9);
  view.block = 1;
  CHECK(work_of("asell", view).stored_entries > 96 * 9);
}

TEST_CASE("tables of values hold every bit pattern") {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const double quiet = std::nan("7"), other = std::nan("9");
  REQUIRE(bits(quiet) != bits(other));
  const std::vector<double> values{1, -0.0, 0.0, quiet, other, -1, 1e-320, HUGE_VAL};
  const Matrix matrix = of_values(values, 50, 9);
  const Typed<double> typed(matrix);
  omp_set_num_threads(3);
  const ValueTable<double> table(typed.view(), all_rows(50), 8);
  REQUIRE(table.size() == 8);
  for (const double value : values) CHECK(bits(table[table.code(value)]) == bits(value));
  CHECK(ValueTable<double>(typed.view(), all_rows(50), 7).size() == 0);
  const std::vector<LocalIndex> first{0};  // which has 9 entries
  CHECK(ValueTable<double>(typed.view(), make_row_list(first).view(), 8).size() == 8);
  CHECK(ValueTable<double>(typed.view(), make_row_list({}).view(), 8).size() == 0);
}

TEST_CASE("coded values give the bits of stored ones") {
  omp_set_num_threads(2);
  const std::vector<double> eight{1, -0.0, 0.0, std::nan("7"), 0.1, -1, 1e-320, HUGE_VAL};
  for (const std::size_t count : {1, 2, 7, 8}) {
    for (const double single : {-1.5, -0.0, HUGE_VAL, 1e-320}) {
      std::vector<double> values(eight.begin(), eight.begin() + count);
      values[0] = single;
      const Matrix matrix = of_values(values, 100, 13);
      const Typed<double> typed(matrix);
      std::vector<LocalIndex> rows(100);
      for (LocalIndex i = 0; i < 100; ++i) rows[i] = i;
      const auto x = uniform<double>(13, 1), before = uniform<double>(100, 2);
      const auto right = by_the_bits(typed, rows, 0.7, x, -1.3, before);
      for (const std::string& simd : simd_options()) {
        INFO(count << " values, " << simd);
        const auto kernel = make_kernel("asell:" + simd, typed.view(), all_rows(100));
        CHECK(same_bits(product(*kernel, 0.7, x, -1.3, before), right));
      }
    }
  }
}

TEST_CASE("tables of asell hold 8 values in fp64 and 16 in fp32, each of which every lane finds") {
  omp_set_num_threads(2);
  const auto check = [](auto zero, int count, bool fits) {
    using T = decltype(zero);
    std::vector<double> values(count);
    for (int k = 0; k < count; ++k) values[k] = 0.5 + k;
    const Matrix matrix = of_values(values, 96 + 17, 19);
    const Typed<T> typed(matrix);
    std::vector<LocalIndex> rows(96 + 17);
    for (LocalIndex i = 0; i < 96 + 17; ++i) rows[i] = i;
    const auto x = uniform<T>(19, 1), before = uniform<T>(96 + 17, 2);
    const auto right = by_the_bits(typed, rows, T(0.7), x, T(-1.3), before);
    for (const std::string& simd : simd_options()) {
      INFO(count << " values of " << sizeof(T) << " bytes, " << simd);
      const auto kernel = make_kernel("asell:" + simd, typed.view(), all_rows(96 + 17));
      CHECK(same_bits(product(*kernel, T(0.7), x, T(-1.3), before), right));
      const bool table = fits && simd != "simd=0";
      const std::string text = (table ? std::to_string(count) : "16-bit") + " values";
      INFO(kernel->work().parameters);
      CHECK(kernel->work().parameters.find("; " + text) != std::string::npos);
    }
  };
  for (const int count : {2, 3, 4, 5, 8}) check(double{}, count, true);
  for (const int count : {2, 7, 8, 9, 16}) check(float{}, count, true);
  check(double{}, 9, false);
  check(float{}, 17, false);
}

TEST_CASE("values of asell are coded by their number, unless codes=off") {
  const auto coded = [](const Matrix& matrix, const std::string& options) {
    const Typed<double> typed(matrix);
    const KernelWork work = work_of(with_option("asell" + options, "gather=off"), typed.view());
    return std::pair(work.matrix_bytes, work.parameters.substr(work.parameters.find(' ') + 6));
  };
  const auto band = [](LocalIndex i, LocalIndex j) { return std::abs(i - j) <= 1; };
  Matrix matrix = pattern("band", 64, 64, band);
  // Two slices of three steps, and the end; which rows.
  constexpr std::int64_t slots = 64 * 3, indices = 2 * 3 * 8, rest = 3 * 24 + 2 * 4;
  for (std::size_t e = 0; e < matrix.values.size(); ++e) matrix.values[e] = 2.5;
  CHECK(coded(matrix, "") == std::pair(indices + rest + 8, std::string("; 1 value")));
  CHECK(coded(matrix, ":codes=off") == std::pair(slots * 8 + indices + rest, std::string()));
  matrix.values[17] = -2.5;
  if (usable(Isa::avx2)) {
    CHECK(coded(matrix, "") == std::pair(slots + indices + rest + 16, std::string("; 2 values")));
  }
  const std::pair in_16_bits(slots * 2 + indices + rest, std::string("; 16-bit values"));
  CHECK(coded(matrix, ":simd=0") == in_16_bits);
  for (std::size_t e = 0; e < 9; ++e) matrix.values[e] = static_cast<double>(e);
  CHECK(coded(matrix, "") == in_16_bits);
  CHECK(coded(matrix, ":codes=off") == std::pair(slots * 8 + indices + rest, std::string()));
  matrix.values[8] = 0.1;
  CHECK(coded(matrix, "") == std::pair(slots * 8 + indices + rest, std::string()));
}

TEST_CASE("asell and sell sort no more rows than their padding asks for") {
  omp_set_num_threads(2);
  const auto lengths = [](LocalIndex rows, const auto& length) {
    return pattern("lengths", rows, 64, [&](LocalIndex i, LocalIndex j) { return j < length(i); });
  };
  const auto parameters = [](const Matrix& matrix, const std::string& spec) {
    return work_of(with_option(spec, "gather=off"), Typed<double>(matrix).view()).parameters;
  };
  const Matrix even = lengths(4096, [](LocalIndex) { return 5; });
  CHECK(parameters(even, "asell").find("sigma") == std::string::npos);
  CHECK(parameters(even, "sell").empty());
  const Matrix mixed = lengths(4096, [](LocalIndex i) { return i % 2 == 0 ? 64 : 2; });
  CHECK(parameters(mixed, "asell").find("; sigma=128") != std::string::npos);
  CHECK(parameters(mixed, "sell") == "sigma=32");
  CHECK(parameters(mixed, "sell:c=16") == "sigma=64");
  CHECK(parameters(mixed, "sell:sigma=1").empty());
  CHECK(work_of("sell", Typed<double>(mixed).view()).stored_entries == std::ssize(mixed.indices));
  CHECK(parameters(mixed, "asell:sigma=64").find("; sigma=64") != std::string::npos);
  CHECK(parameters(mixed, "asell:sigma=1").find("sigma") == std::string::npos);
  // A long row in every window of 1024: only one window of all brings them together.
  const Matrix few = lengths(8192, [](LocalIndex i) { return i % 1024 == 7 ? 64 : 1; });
  CHECK(parameters(few, "asell").find("; sigma=16384") != std::string::npos);
  CHECK(parameters(few, "sell") == "sigma=16384");
}

TEST_CASE("asell leaves rows much longer than the others in CSR") {
  // Rows of four entries but for some of 900, 901, ...: a thread sums up to four of those at once.
  for (const int threads : {1, 2}) {
    omp_set_num_threads(threads);
    for (const LocalIndex many : {1, 3, 4, 6}) {
      const Matrix matrix = pattern("long rows", 4000, 1000, [&](LocalIndex i, LocalIndex j) {
        const LocalIndex number = i / 600, first = i % 990;
        return i % 600 == 50 && number < many ? j < 900 + number : j >= first && j < first + 4;
      });
      const std::string text = "; " + std::to_string(many) + " long rows";
      INFO(text);
      check("asell", matrix, "offsets");
      const Typed<double> typed(matrix);
      const KernelWork work = work_of("asell", typed.view());
      CHECK(work.parameters.find(text) != std::string::npos);
      CHECK(work.stored_entries < std::ssize(matrix.indices) / 10 * 11);
      CHECK(work_of("asell:sigma=1", typed.view()).parameters.find("long") == std::string::npos);
    }
  }
  const Matrix even = pattern("even", 64, 1000, [](LocalIndex, LocalIndex j) { return j < 900; });
  CHECK(work_of("asell", Typed<double>(even).view()).parameters.find("long") == std::string::npos);
}

TEST_CASE("asell refuses options out of range and padding beyond its limit") {
  const Matrix heavy = one_long_row(200000);
  const Typed<double> a(heavy);
  for (const char* spec : {"asell:c=8", "asell:sigma=0", "asell:codes=maybe", "asell:simd=3",
                           "asell:max_padding=-1", "asell:sigma=1"}) {
    INFO(spec);
    CHECK_THROWS_AS(make_kernel(spec, a.view(), all_rows(64)), InputError);
  }
  CHECK_NOTHROW(make_kernel("asell:sigma=1,max_padding=31", a.view(), all_rows(64)));
  CHECK_NOTHROW(make_kernel("asell", Typed<double>(one_long_row(64)).view(), all_rows(64)));
}

// SPDX-License-Identifier: BSD-3-Clause
//
// asell on the GPU: matrices made for one code each take that code and keep the bits of the plain
// loop; distances at the limits of 8 and 16 bits; NaN beside padding; coded values are exact.
#include <bit>
#include <cmath>

#include "partition/base/errors.hpp"
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

/// Rows with an entry at each multiple of `gap` behind `first(i)`, `entries` of them.
template <class First>
Matrix spaced(std::string name, LocalIndex rows, int entries, LocalIndex gap, const First& first) {
  Matrix matrix;
  matrix.name = std::move(name);
  for (LocalIndex i = 0; i < rows; ++i) {
    for (int k = 0; k < entries; ++k) {
      const LocalIndex column = first(i) + k * (gap + i % 2);
      matrix.add(column, uniform_value(7, static_cast<std::uint64_t>(matrix.indices.size())));
      matrix.columns = std::max(matrix.columns, column + 1);
    }
    matrix.end_row();
  }
  return matrix;
}

/// Checks the product of the listed rows, NaN wherever x is not referred to, and returns what the
/// kernel says of itself.
KernelWork check_list(const std::string& options, const Matrix& matrix, const NamedList& list,
                      int block = 1) {
  const Typed<double> typed(matrix);
  std::vector<double> x(static_cast<std::size_t>(matrix.columns),
                        std::numeric_limits<double>::quiet_NaN());
  for (const LocalIndex column : matrix.indices) x[column] = uniform_value(1, column);
  const auto before = uniform<double>(matrix.rows(), 2);
  const Spec spec = Spec::parse("asell:max_padding=1e9" + options, "--format");
  INFO(spec.text() << ", " << matrix.name << ", " << list.name);
  const DeviceProblem<double> problem(typed, list);
  CsrView view = problem.csr.view();
  view.block = block;
  const auto kernel = find_format("asell", Device::gpu).make(view, problem.view(), spec);
  const auto right = by_the_bits(typed, list.rows, 0.7, x, -1.3, before);
  CHECK(same_bits(device_product(*kernel, 0.7, x, -1.3, before), right));
  return kernel->work();
}

/// The same for all rows, whose kernel it returns, and for some.
KernelWork check_bits(const std::string& options, const Matrix& matrix, int block = 1) {
  const auto lists = row_lists(matrix.rows());
  for (std::size_t k = 1; k < lists.size(); ++k) check_list(options, matrix, lists[k], block);
  return check_list(options, matrix, lists.front(), block);
}

/// Checks that the kernel says `text` of itself; `not_` that it does not.
void check_says(const KernelWork& work, const std::string& text, bool not_ = false) {
  INFO(work.parameters << ", wanted " << (not_ ? "without " : "") << text);
  CHECK((("," + work.parameters).find("," + text) == std::string::npos) == not_);
}

/// A band of three with the given numbers in turn.
Matrix band_of(const std::vector<double>& numbers) {
  Matrix matrix = pattern("band of " + std::to_string(numbers.size()) + " numbers", 300, 300,
                          [](auto i, auto j) { return j >= i - 1 && j <= i + 1; });
  for (std::size_t e = 0; e < matrix.values.size(); ++e) {
    matrix.values[e] = numbers[e % numbers.size()];
  }
  return matrix;
}

/// With 16-bit values, as many as it has entries.
Matrix numbered(Matrix matrix) {
  for (std::size_t e = 0; e < matrix.values.size(); ++e) {
    matrix.values[e] = 0.25 * static_cast<double>(e) - 40;
  }
  return matrix;
}

}  // namespace

TEST_CASE("asell takes the code that a matrix is made for, and keeps the bits") {
  for (const char* unroll : {",unroll=low", ",unroll=medium", ",unroll=high", ",unroll=highest"}) {
    const std::string options = std::string(",codes=off") + unroll;
    const Matrix grid = with_random_values(stencil(64, 6, 5));
    const KernelWork on_grid = check_bits(options, grid);
    check_says(on_grid, "offsets=100%");
    // 27 steps per slice at the most, whose offsets slices share: far below 4 bytes per nonzero.
    CHECK(on_grid.matrix_bytes < 9.5 * static_cast<double>(grid.offsets.back()));

    const auto near = [](LocalIndex i) { return i + i * 7 % 50; };
    check_says(check_bits(options, spaced("bytes", 200, 20, 100, near)), "8-bit=100%");
    check_says(check_bits(options, spaced("words", 200, 20, 9000, near)), "16-bit=100%");
    check_says(check_bits(options, spaced("columns", 64, 20, 900000, near)), "32-bit=100%");
    check_says(check_bits(options, reversed(spaced("bytes", 200, 20, 100, near))), "32-bit=100%");
    check_bits(options, reversed(grid));
  }
}

TEST_CASE("asell with each of its codes for the sanitizers", "[short]") {
  const auto all = [](const char* options, const Matrix& matrix) {
    return check_list(options, matrix, row_lists(matrix.rows()).front());
  };
  const auto near = [](LocalIndex i) { return i + i * 7 % 50; };
  check_says(all(",codes=off", with_random_values(stencil(32, 3, 1))), "offsets=100%");
  check_says(all(",codes=off", spaced("bytes", 40, 20, 100, near)), "8-bit=100%");
  check_says(all(",codes=off", spaced("words", 40, 20, 9000, near)), "16-bit=100%");
  check_says(all(",codes=off", spaced("columns", 40, 5, 90000, near)), "32-bit=100%");
  check_says(all(",codes=off", with_ghosts_first(40, 20)), "offsets=100%");
  check_says(all("", with_values_by_offset(stencil(70, 3, 1))), "offsets=100%,values=4,by=step");
  check_says(all(",unroll=low", with_values_by_offset(stencil(70, 3, 1))),
             "offsets=100%,values=4,by=step");
  for (const char* unroll : {",unroll=low", ",unroll=medium", ",unroll=high"}) {
    check_says(all(unroll, band_of({1, -2})), "offsets=100%,values=2");
    check_says(all(unroll, numbered(spaced("bytes", 40, 20, 100, near))),
               "8-bit=100%,values=16-bit");
  }
}

TEST_CASE("asell shares the offsets of rows whose ghosts come before their own columns") {
  for (const LocalIndex line : {320, 40}) {
    const KernelWork work =
        check_bits(",codes=off", with_random_values(with_ghosts_first(320, line)));
    check_says(work, "offsets=100%");
    CHECK(work.stored_entries == 320 * 9);  // no step twice
  }
}

TEST_CASE("asell shares offsets between the rows of a block") {
  // Nodes of 3 unknowns, each joined to the next two.
  const Matrix matrix = with_random_values(pattern(
      "nodes", 384, 384, [](auto i, auto j) { return j / 3 >= i / 3 && j / 3 <= i / 3 + 2; }));
  const KernelWork apart = check_bits(",codes=off", matrix, 1);
  const KernelWork together = check_bits(",codes=off", matrix, 3);
  check_says(together, "offsets=100%");
  CHECK(together.matrix_bytes < apart.matrix_bytes);
}

TEST_CASE("asell goes over distances at the limits of its codes") {
  for (const LocalIndex gap : {254, 255, 256, 509, 510, 511, 65534, 65535, 65536, 131070}) {
    Matrix matrix =
        spaced("a gap of " + std::to_string(gap), 70, 40, 3, [](LocalIndex i) { return 5 * i; });
    for (LocalIndex i = 0; i < matrix.rows(); ++i) {
      for (Offset e = matrix.offsets[i] + 11 + i % 5; e < matrix.offsets[i + 1]; ++e) {
        matrix.indices[e] += gap;
      }
    }
    matrix.columns += gap;
    const KernelWork work = check_bits(",codes=off", matrix);
    if (gap < 600) {
      check_says(work, "8-bit=100%");
      if (gap > 255) CHECK(work.stored_entries > matrix.offsets.back());
    }
  }
}

TEST_CASE("asell sorts rows where that saves bytes, and only there") {
  const Matrix uneven =
      with_random_values(pattern("every 16th row long", 3000, 3000, [](LocalIndex i, LocalIndex j) {
        return i == j || (i % 16 == 3 && (i * 7 + j) % 40 == 0);
      }));
  check_says(check_bits(",codes=off", uneven), "sigma=1024");
  const KernelWork unsorted = check_bits(",codes=off,sigma=1", uneven);
  check_says(unsorted, "sigma", true);
  check_says(check_bits(",codes=off", stencil(64, 6, 5)), "sigma", true);
}

TEST_CASE("asell codes values exactly, and says so") {
  const double payload = std::bit_cast<double>(std::uint64_t{0x7ff8000000001234});
  std::vector<double> many;
  for (int k = 0; k < 257; ++k) many.push_back(uniform_value(3, k));
  const std::vector<double> most(many.begin(), many.end() - 1);
  check_says(check_bits("", band_of({-1.5})), "values=1");
  check_says(check_bits("", band_of({1, -2, 0.25})), "values=3");
  check_says(check_bits("", band_of({0.0, -0.0, 1})), "values=3");
  check_says(check_bits("", band_of({1, payload, INFINITY, -INFINITY})), "values=4");
  check_says(check_bits("", band_of(most)), "values=256");
  check_says(check_bits("", band_of(many)), "values", true);
  check_says(check_bits(",codes=off", band_of({1})), "values", true);
  const KernelWork plain = check_bits(",codes=off", band_of({1, 2}));
  const KernelWork coded = check_bits("", band_of({1, 2}));
  const KernelWork constant = check_bits("", band_of({1}));
  CHECK(coded.matrix_bytes < plain.matrix_bytes / 3);
  CHECK(constant.matrix_bytes < coded.matrix_bytes);
  // More steps than the first unrolled steps of any kind, of 200 numbers.
  const auto near = [](LocalIndex i) { return i + i * 7 % 50; };
  Matrix rows = spaced("coded", 200, 40, 100, near);
  for (std::size_t e = 0; e < rows.values.size(); ++e) rows.values[e] = most[e % 200];
  for (const char* unroll : {",unroll=low", ",unroll=medium", ",unroll=high", ",unroll=highest"}) {
    check_bits(unroll, band_of({1, 2}));
    check_bits(unroll, band_of({1}));
    check_says(check_bits(unroll, rows), "8-bit=100%,values=200");
    check_says(check_bits(unroll, numbered(rows)), "8-bit=100%,values=16-bit");
    check_says(check_bits(unroll, numbered(with_ghosts_first(320, 40))),
               "offsets=100%,values=16-bit");
    check_says(check_bits(unroll, numbered(spaced("far", 70, 33, 90000, near))),
               "32-bit=100%,values=16-bit");
  }
}

TEST_CASE("asell stores one number a step where all its rows have that, and only there") {
  const char* by_step = "offsets=100%,values=4,by=step";
  const auto band = [](LocalIndex rows) {
    return with_values_by_offset(pattern("band of " + std::to_string(rows), rows, rows,
                                         [](auto i, auto j) { return j >= i - 1 && j <= i + 2; }));
  };
  const auto except = [](Matrix matrix, std::size_t entry, double number) {
    matrix.values[entry] = number;
    return matrix;
  };
  for (const std::string unroll : {",unroll=low", ",unroll=medium", ",unroll=high"}) {
    // Lines as long as two slices, as one, and not a multiple; some rows lack steps, most do not.
    for (const LocalIndex line : {64, 32, 40, 160}) {
      const Matrix grid = with_values_by_offset(stencil(line, 6, 5));
      const KernelWork work = check_bits(unroll, grid);
      check_says(work, "by=step");
      // 16 bytes a slice, and patterns of 27 steps, of which a small grid has many.
      CHECK(work.matrix_bytes < 24 * 27 * 50 + 0.5 * grid.rows());
    }
    for (const LocalIndex rows : {4, 31, 32, 33, 64, 65, 96, 97, 1000}) {
      check_says(check_bits(unroll, band(rows)), by_step);
    }
    const Matrix gap = pattern("slices without entries", 500, 500, [](auto i, auto j) {
      return (i < 128 || i >= 224) && j >= i - 1 && j <= i + 2;
    });
    check_says(check_bits(unroll, with_values_by_offset(gap)), "values=4,by=step");

    Matrix cut = with_ghosts_first(320, 40);
    for (std::size_t e = 0; e < cut.values.size(); ++e)
      cut.values[e] = cut.indices[e] < 320 ? 2 : -1;
    check_says(check_bits(unroll, cut), "offsets=100%,values=2,by=step");

    // Bits count: -0 is not 0, a NaN is itself; one entry that differs and there is no such step.
    const double payload = std::bit_cast<double>(std::uint64_t{0x7ff8000000001234});
    for (const double number : {0.0, -0.0, payload, double{INFINITY}}) {
      Matrix special = band(200);
      for (double& value : special.values) value = value == 2 ? number : value;
      check_says(check_bits(unroll, special), by_step);
    }
    Matrix zeros = band(200);
    for (double& value : zeros.values) value = value == 2 ? 0.0 : value;
    for (const std::size_t entry : {301, 302, 303, 304}) {
      const KernelWork work = check_bits(unroll, except(zeros, entry, -zeros.values[entry]));
      check_says(work, "offsets=100%,values=5");
      check_says(work, "by=step", true);
    }
  }
  // Nodes of 3 unknowns: the rows of a node have the same columns, and here the same numbers.
  Matrix nodes = pattern("nodes", 384, 384,
                         [](auto i, auto j) { return j / 3 >= i / 3 && j / 3 <= i / 3 + 2; });
  for (std::size_t e = 0; e < nodes.values.size(); ++e) nodes.values[e] = 1 + nodes.indices[e] % 3;
  check_says(check_bits("", nodes, 3), "offsets=100%,values=3,by=step");
  // Two numbers, but rows that have little in common; and the user's order of rows.
  Matrix irregular = random(301, 257);
  for (std::size_t e = 0; e < irregular.values.size(); ++e) {
    irregular.values[e] = irregular.indices[e] % 2 + 1;
  }
  check_says(check_bits("", irregular), "by=step", true);
  check_says(check_bits(",sigma=64", with_values_by_offset(stencil(64, 6, 5))), "by=step,sigma=64");
  check_says(check_bits(",codes=off", with_values_by_offset(stencil(64, 6, 5))), "by=step", true);
}

TEST_CASE("asell refuses wrong options with a reason") {
  const Matrix band = band_of({1});
  const Typed<double> typed(band);
  const NamedList every = row_lists(300).front();
  const DeviceProblem<double> problem(typed, every);
  for (const char* wrong : {"codes=maybe", "unroll=7", "sigma=0", "c=8"}) {
    const Spec spec = Spec::parse(std::string("asell:") + wrong, "--format");
    CHECK_THROWS_AS(
        make_kernel(find_format("asell", Device::gpu), problem.csr.view(), problem.view(), spec),
        InputError);
  }
}

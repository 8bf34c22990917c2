// SPDX-License-Identifier: BSD-3-Clause
//
// What only one CPU format has: its options, its refusals with their numbers, and what it stores.
// Results are tested with those of the other formats in test_formats.cpp and test_bits.cpp.
#include <omp.h>

#include <array>
#include <limits>

#include "kernels/local_statistics.hpp"
#include "kernels/options.hpp"
#include "partition/base/errors.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

/// The message names the spec and holds every part.
void check_refusal(const std::string& spec, const CsrView& matrix, RowListView rows,
                   const std::vector<std::string>& parts) {
  try {
    make_kernel(spec, matrix, rows);
    INFO(spec);
    FAIL_CHECK("accepted");
  } catch (const InputError& error) {
    const std::string message = error.what();
    INFO(message);
    CHECK(message.find("--format " + spec + ": ") == 0);
    for (const std::string& part : parts) CHECK(message.find(part) != std::string::npos);
  }
}

/// 127 nonzeros, and too small for any format to refuse.
const Matrix& small_heavy() {
  static const Matrix matrix = one_long_row(64);
  return matrix;
}

Matrix identity(LocalIndex rows) {
  Matrix matrix;
  matrix.name = "identity";
  matrix.columns = rows;
  for (LocalIndex i = 0; i < rows; ++i) {
    matrix.add(i, 1);
    matrix.end_row();
  }
  return matrix;
}

/// Rows of `lengths` entries.
Matrix of_lengths(const std::vector<LocalIndex>& lengths) {
  return pattern("lengths", static_cast<LocalIndex>(lengths.size()), 100,
                 [&](LocalIndex i, LocalIndex j) { return j < lengths[i]; });
}

/// Exact on integers, for every list of rows, with x of a NaN that no listed entry refers to.
void check_products(const std::string& spec, const Matrix& matrix, const std::vector<double>& x) {
  const Typed<double> typed(matrix);
  const auto before = integers<double>(matrix.rows(), 2);
  for (const NamedList& list : row_lists(matrix.rows())) {
    INFO(spec << ", " << matrix.name << ", " << list.name);
    const auto kernel = make_kernel(spec, typed.view(), list.view());
    CHECK(product(*kernel, 2.0, x, -1.0, before) ==
          by_the_bits(typed, list.rows, 2.0, x, -1.0, before));
  }
}

}  // namespace

TEST_CASE("formats refuse options out of range") {
  const Typed<double> a(small_heavy());
  for (const char* spec :
       {"ell:max_padding=-1", "ell:max_padding=nan", "ell:width=3", "hyb:width=-1", "hyb:width=x",
        "hyb:max_padding=-1", "jds:max_padding=5", "coo:max_padding=5", "dia:max_padding=-1",
        "bsr:b=1", "bsr:b=9", "bsr:b=x", "bsr:b=2,max_padding=-1", "dense:max_padding=-1"}) {
    INFO(spec);
    CHECK_THROWS_AS(make_kernel(spec, a.view(), all_rows(64)), InputError);
  }
}

TEST_CASE("padding is refused where it is many times the nonzeros and many bytes") {
  constexpr Offset listed = 1000000;
  CsrView matrix;
  matrix.nonzeros = listed;
  const auto refused = [&](const char* format, Offset added) {
    const Spec spec = Spec::parse(format, "--format");
    try {
      check_padding(spec, {listed + added, listed, matrix}, "it", "use another");
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  // 12 bytes per slot in fp64: 64 MB are 5333333.3 slots, 5.3 times the nonzeros.
  CHECK_FALSE(refused("ell", 5333333));
  CHECK(refused("ell", 5333334));
  CHECK_FALSE(refused("ell:max_padding=0", 5333333));
  CHECK_FALSE(refused("ell:max_padding=5.4", 5333334));
  CHECK(refused("ell:max_padding=5.3", 5333334));
  matrix.nonzeros = 10 * listed;  // all rows, of which the listed ones are a few
  CHECK_FALSE(refused("ell", 50000000));
  CHECK(refused("ell", 50000001));
  matrix.precision = Precision::fp32;
  matrix.nonzeros = listed;
  CHECK_FALSE(refused("ell", 8000000));
  CHECK(refused("ell", 8000001));
}

TEST_CASE("ell refuses to pad all rows to a long one") {
  const Typed<double> a(heavy());
  check_refusal("ell", a.view(), all_rows(64),
                {"64 rows", "200000 entries", "12800000 slots", "200063 nonzeros", "63.0 times",
                 "151 MB", "limits 5 (max_padding=) and 64 MB", "hyb"});
  CHECK_NOTHROW(make_kernel("ell:max_padding=63", a.view(), all_rows(64)));
  CHECK_NOTHROW(make_kernel("ell", Typed<double>(small_heavy()).view(), all_rows(64)));
  // The rows of the list decide, not those of the block.
  const std::vector<LocalIndex> light{0, 1, 2, 40, 41};
  const RowList list = make_row_list(light);
  CHECK(make_kernel("ell:max_padding=0", a.view(), list.view())->work().stored_entries == 5);
}

TEST_CASE("hyb takes the width of the fewest bytes, or the one it is given") {
  // One column more costs a slot of 12 bytes per row and saves 16 a longer row. 8 rows: 2 columns
  // while more than 6 rows have a second entry.
  const Matrix seven = of_lengths({1, 2, 2, 2, 2, 2, 2, 9}),
               six = of_lengths({1, 1, 2, 2, 2, 2, 2, 9});
  const auto stored = [](const char* spec, const Matrix& matrix) {
    return work_of(spec, Typed<double>(matrix).view()).stored_entries;
  };
  CHECK(stored("hyb", seven) == 2 * 8 + 7);
  CHECK(stored("hyb", six) == 1 * 8 + 5 + 8);
  // In fp32 a slot has 8 bytes and an entry 12: 2 columns while more than 5 rows are longer.
  CHECK(work_of("hyb", Typed<float>(six).view()).stored_entries == 2 * 8 + 7);
  CHECK(stored("hyb:width=0", six) == 21);
  CHECK(stored("hyb:width=4", six) == 4 * 8 + 5);
  CHECK(stored("hyb:width=1000", six) == 9 * 8);  // no wider than the longest row
  check_refusal("hyb:width=100000,max_padding=2", Typed<double>(heavy()).view(), all_rows(64),
                {"64 rows of 100000 entries", "100000 beyond", "6500000 slots", "200063 nonzeros",
                 "31.5 times", "76 MB", "limits 2 ", "width="});
  CHECK_NOTHROW(make_kernel("hyb:max_padding=0", Typed<double>(heavy()).view(), all_rows(64)));
}

TEST_CASE("dia refuses by its number of diagonals") {
  // Row 10 lies on as many diagonals as it has entries, one of them the main one.
  const Typed<double> a(heavy());
  check_refusal("dia", a.view(), all_rows(64),
                {"200000 diagonals of 64 rows", "12800000 slots", "200063 nonzeros", "63.0 times",
                 "151 MB", "limits 5 (max_padding=) and 64 MB"});
  CHECK_NOTHROW(make_kernel("dia", Typed<double>(small_heavy()).view(), all_rows(64)));
  const std::vector<LocalIndex> light{0, 1, 2, 40, 41};
  const RowList list = make_row_list(light);
  CHECK(make_kernel("dia:max_padding=0", a.view(), list.view())->work().stored_entries == 5);
}

TEST_CASE("strips of dia at the edges of x, whole and in part") {
  omp_set_num_threads(2);
  // Three diagonals, two of them far off the middle, that begin and end inside strips; 200 columns
  // fewer than some strips would read.
  const Matrix matrix = pattern("far diagonals", 300, 280, [](LocalIndex i, LocalIndex j) {
    return (j - i == 0 || j - i == 37 || j - i == -41) && j != 77 && j != 101 && i % 50 != 7;
  });
  auto x = integers<double>(280, 1);
  // No entry refers to either; the second lacks in the first row of a strip, 64, and there alone.
  x[77] = x[101] = std::numeric_limits<double>::quiet_NaN();
  for (const std::string& simd : simd_options()) check_products("dia:" + simd, matrix, x);
}

TEST_CASE("bsr takes the blocks of the source, or measures") {
  const Matrix matrix = blocked(20);
  const Typed<double> typed(matrix);
  CsrView view = typed.view();
  for (const int known : {3, 1, 12}) {
    view.block = known;
    CHECK(work_of("bsr", view).stored_entries == 20 * 3 * 9);
    CHECK(work_of("bsr", view).parameters.rfind("b=3 fill=0.95", 0) == 0);
  }
  view.block = 2;
  CHECK(work_of("bsr", view).stored_entries == work_of("bsr:b=2", view).stored_entries);
  for (LocalIndex b = 2; b <= 8; ++b) {
    const Matrix blocks = pattern("blocks", 40 * b, 40 * b, [=](LocalIndex i, LocalIndex j) {
      return mix64(i / b, j / b) % 7 == 0 && (i + j) % 29 != 0;
    });
    const std::string parameters = work_of("bsr", Typed<double>(blocks).view()).parameters;
    INFO(parameters);
    CHECK(parameters.rfind("b=" + std::to_string(b) + " ", 0) == 0);
  }
  // One block a block row.
  const Matrix long_diagonal = identity(1200000);
  check_refusal("bsr:b=8", Typed<double>(long_diagonal).view(), all_rows(1200000),
                {"150000 blocks of 8 x 8", "9600000 slots", "1200000 nonzeros", "7.0 times",
                 "101 MB", "b= smaller"});
  const Matrix diagonal = identity(64);
  CHECK(work_of("bsr:b=8", Typed<double>(diagonal).view()).stored_entries == 512);
  // At best 32 blocks of 36 bytes and a mask; CSR 12 bytes per entry and 8 per row.
  check_refusal(
      "bsr", Typed<double>(diagonal).view(), all_rows(64),
      {"more bytes than CSR", "2 x 2 and 50 % full", "22.0 per nonzero", "20.0", "say b=2"});
}

TEST_CASE("full blocks of bsr cost no mask, wherever they begin") {
  for (const LocalIndex shift : {0, 1, 2}) {
    const Matrix matrix = pattern("full blocks", 30, 40, [=](LocalIndex i, LocalIndex j) {
      const LocalIndex first = i / 3 * 3 + shift;
      return j >= first && j < first + 3;
    });
    const KernelWork work = work_of("bsr:b=3", Typed<double>(matrix).view());
    CHECK(work.stored_entries == 90);
    CHECK(work.matrix_bytes == 90 * 8 + 10 * 4 + 11 * 16);
  }
}

TEST_CASE("blocks of bsr that are not full read only their own columns") {
  omp_set_num_threads(2);
  // Columns 0, 3, 6, ... hold NaN and no entry; blocks of 2, 3, 5 and 8 begin between them, and the
  // last ones reach beyond the matrix.
  const Matrix matrix = pattern("holes", 50, 50, [](LocalIndex i, LocalIndex j) {
    return j % 3 != 0 && (i + j) % 4 != 0 && std::abs(i - j) < 9;
  });
  auto x = integers<double>(50, 1);
  for (std::size_t j = 0; j < x.size(); j += 3) x[j] = std::numeric_limits<double>::infinity();
  for (const char* b : {"2", "3", "4", "5", "6", "7", "8"}) {
    for (const std::string& simd : simd_options()) {
      check_products(std::string("bsr:b=") + b + ",max_padding=1e9," + simd, matrix, x);
    }
  }
}

TEST_CASE("dense keeps a mask only where rows are not full") {
  const Matrix full = pattern("full", 10, 70, [](auto, auto) { return true; });
  const Matrix holes = pattern("holes", 10, 70, [](auto i, auto j) { return i != 4 || j != 69; });
  CHECK(work_of("dense", Typed<double>(full).view()).matrix_bytes == 700 * 8);
  CHECK(work_of("dense", Typed<double>(holes).view()).matrix_bytes == 700 * 8 + 10 * 3 * 4);
  check_refusal("dense", Typed<double>(heavy()).view(), all_rows(64),
                {"64 rows of 200000 columns", "12800000 slots", "200063 nonzeros", "63.0 times",
                 "151 MB", "limits 5 (max_padding=) and 64 MB"});
  CHECK_NOTHROW(make_kernel("dense", Typed<double>(small_heavy()).view(), all_rows(64)));
}

TEST_CASE("jds and coo store the nonzeros and nothing else") {
  for (const char* spec : {"jds", "coo"}) {
    CHECK(work_of(spec, Typed<double>(small_heavy()).view()).stored_entries == 127);
  }
}

TEST_CASE("vbl has an index for up to 8 consecutive columns, and reads nothing behind the last") {
  // Row i: runs of 1, 2, ..., i columns with one left out between them, the last up to the edge.
  constexpr LocalIndex rows = 20, columns = rows * (rows + 1) / 2 + rows - 1;
  Matrix matrix;
  matrix.name = "runs";
  matrix.columns = columns;
  std::int64_t indices = 0;
  for (LocalIndex i = 0; i < rows; ++i) {
    LocalIndex column = columns - (i * (i + 1) / 2 + std::max(i - 1, 0));
    for (LocalIndex length = 1; length <= i; ++length, ++column) {
      for (LocalIndex l = 0; l < length; ++l) matrix.add(column++, i + l + 1);
      indices += (length + 7) / 8;
    }
    matrix.end_row();
  }
  const auto x = integers<double>(columns, 1);
  for (const std::string& spec : cpu_specs(false)) {
    if (spec.starts_with("vbl")) check_products(spec, matrix, x);
  }
  const Typed<double> typed(matrix);
  const KernelWork work = work_of("vbl", typed.view());
  CHECK(work.matrix_bytes ==
        std::ssize(matrix.indices) * 8 + indices * 4 + (std::int64_t{rows} + 1) * 8);

  CsrView wide = typed.view();
  wide.columns = 1 << 29;
  CHECK_NOTHROW(make_kernel("vbl", wide, all_rows(rows)));
  wide.columns += 1;
  check_refusal("vbl", wide, all_rows(rows), {"536870913 columns", "536870912", "use csr-omp"});
}

TEST_CASE("entries of one place are summed") {
  Matrix matrix;
  matrix.name = "duplicates";
  matrix.columns = 4;
  for (LocalIndex i = 0; i < 5; ++i) {
    for (const LocalIndex j : {1, 2, 2, 3, 1}) matrix.add(j, i + j);
    matrix.end_row();
  }
  const auto x = integers<double>(4, 1);
  for (const std::string& spec : cpu_specs(false)) check_products(unlimited(spec), matrix, x);
}

TEST_CASE("csr asks for x ahead where rows are scattered, and not beyond the last entry") {
  Matrix matrix;
  matrix.name = "scattered";
  matrix.columns = 400000;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    for (std::uint64_t k = 0; k < (i == 1990 ? 200 : i % 13); ++k) {
      matrix.add(static_cast<LocalIndex>(mix64(mix64(3, i), k) % 400000), uniform_value(i, k));
    }
    matrix.end_row();
  }
  const auto check_as = [&]<class T>(T) {
    const Typed<T> a(matrix);
    CHECK(gathered_sectors(touched_sectors(a.view())) > 0);
    const auto x = uniform<T>(matrix.columns, 4), before = uniform<T>(2000, 5);
    for (const NamedList& list : row_lists(2000)) {
      INFO(list.name);
      const auto expected = by_the_bits(a, list.rows, T(0.3), x, T(0.9), before);
      for (const char* name : {"csr", "csr-omp"}) {
        for (const std::string& simd : simd_options()) {
          const auto kernel = make_kernel(with_option(name, simd), a.view(), list.view());
          CHECK(same_bits(product(*kernel, T(0.3), x, T(0.9), before), expected));
        }
      }
    }
  };
  check_as(double{});
  check_as(float{});
}

TEST_CASE("values of csr-omp in fewer bytes, with all their bits") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto few = [](std::uint64_t k) {
    return std::array{2.5, -0.0, 0.0, inf, -1e300, 0.1}[mix64(k, 7) % 6];
  };
  const auto singles = [](std::uint64_t k) { return k == 5 ? -0.0 : 0.125 * double(k); };
  const auto eighths = [](std::uint64_t k) { return 0.125 * double(k) - 17; };
  const auto others = [](std::uint64_t k) { return k == 999 ? 0.1 : 0.125 * double(k); };
  const auto check = [](const auto& value, auto zero, int bytes, int distinct,
                        const std::string& text) {
    using T = decltype(zero);
    Matrix matrix;
    matrix.name = text;
    matrix.columns = 40;
    for (std::uint64_t i = 0; i < 50; ++i) {
      for (std::uint64_t k = 0; k < 20; ++k) {
        matrix.add(static_cast<LocalIndex>(2 * k), value(20 * i + k));
      }
      matrix.end_row();
    }
    const Typed<T> a(matrix);
    const auto x = uniform<T>(40, 4), before = uniform<T>(50, 5);
    for (const NamedList& list : row_lists(50)) {
      INFO(text << ", " << list.name);
      const auto expected = by_the_bits(a, list.rows, T(0.3), x, T(0.9), before);
      for (const std::string& simd : simd_options()) {
        const std::string spec = with_option("csr-omp:codes=on", simd);
        const auto kernel = make_kernel(spec, a.view(), list.view());
        CHECK(same_bits(product(*kernel, T(0.3), x, T(0.9), before), expected));
      }
    }
    const auto kernel = [&](const char* spec) { return make_kernel(spec, a.view(), all_rows(50)); };
    const std::int64_t table = distinct * static_cast<int>(sizeof(T));
    CHECK(kernel("csr-omp:codes=on")->work().parameters == text);
    CHECK(kernel("csr-omp:codes=on")->work().matrix_bytes == 1000 * (bytes + 4) + 51 * 8 + table);
    // So small a matrix stays as it is, unless it is asked for.
    for (const char* spec : {"csr-omp", "csr-omp:codes=off"}) {
      CHECK(kernel(spec)->work().parameters.empty());
      CHECK(kernel(spec)->work().matrix_bytes == 1000 * (sizeof(T) + 4) + 51 * 8);
    }
    CsrView without = a.view();
    without.value_codes = false;
    CHECK(make_kernel("csr-omp:codes=on", without, all_rows(50))->work().parameters.empty());
  };
  check(few, double{}, 1, 6, "6 values");
  check(few, float{}, 1, 6, "6 values");
  check(eighths, double{}, 2, 0, "16-bit values");
  check(eighths, float{}, 2, 0, "16-bit values");
  check(singles, double{}, 4, 0, "fp32");
  check(singles, float{}, 4, 0, "");
  check(others, double{}, 8, 0, "");
}

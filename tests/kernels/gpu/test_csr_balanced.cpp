// SPDX-License-Identifier: BSD-3-Clause
//
// csr-balanced beyond the battery of test_formats.cpp: rows that end where chunks and shares
// do, rows that hundreds of shares have parts of, mostly empty rows, hubs, 16-bit columns, what it
// holds in memory.
#include <numeric>

#include "kernels/gpu/csr_balanced/balanced_plan.hpp"
#include "kernels/work.hpp"
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

/// Every `every`-th entry of a row in one of 40 columns, the others anywhere.
Matrix with_hubs(std::uint64_t every = 2) {
  Matrix matrix;
  matrix.name = "40 hubs";
  matrix.columns = 600000;
  for (std::uint64_t i = 0; i < 60000; ++i) {
    for (std::uint64_t k = 0; k < i % 12; ++k) {
      const std::uint64_t dice = mix64(mix64(11, i), k);
      matrix.add(static_cast<LocalIndex>(k % every == 0 ? dice % 40 * 14990 : dice % 600000),
                 integer_at(i, k));
    }
    matrix.end_row();
  }
  return matrix;
}

KernelWork work_of_all(const std::string& spec, const Matrix& matrix) {
  const Typed<double> typed(matrix);
  const NamedList all = row_lists(matrix.rows()).front();
  const DeviceProblem<double> problem(typed, all);
  return make_or_refuse(spec, problem)->work();
}

}  // namespace

TEST_CASE("csr-balanced: rows that end where chunks do") {
  std::vector<int> lengths;
  for (const int length : {1, 7, 8, 9, 31, 32, 33, 255, 256, 257, 511, 512, 1024, 3000}) {
    const int fill =
        (chunk_entries - std::accumulate(lengths.begin(), lengths.end(), length) % chunk_entries) %
        chunk_entries;
    lengths.insert(lengths.end(), {length, fill, 256});  // the fill is empty where it fits
  }
  for (int length = 0; length < 70; ++length) lengths.push_back(length);
  const Matrix matrix = with_lengths(lengths, 5000, 3);
  for (const char* spec :
       {"csr-balanced", "csr-balanced:codes=off", "csr-balanced:chunks=1", "csr-balanced:hubs=100",
        "csr-balanced:hubs=100,codes=off", "csr-balanced:columns=32,codes=off"}) {
    check_exact<double>(matrix, spec);
    check_exact<float>(matrix, spec);
  }
}

TEST_CASE("csr-balanced: rows that many shares have parts of") {
  std::vector<int> lengths(20000, 3);
  lengths[0] = 9000;
  lengths[10] = 400000;  // more than 32 shares, and a few more than that right behind
  lengths[11] = 70000;
  lengths[5000] = 2600;
  lengths[19999] = 30000;
  const Matrix matrix = with_lengths(lengths, 500000, 1);
  for (const char* codes : {"on", "off"}) {
    check_exact<double>(matrix, std::string("csr-balanced:codes=") + codes);
    check_exact<double>(matrix, std::string("csr-balanced:chunks=1,hubs=3000,codes=") + codes);
  }

  const Matrix uneven = battery::with_random_values(matrix);
  const Typed<double> typed(uneven);
  const DeviceProblem<double> problem(typed, row_lists(20000).front());
  const auto kernel = make_or_refuse("csr-balanced:chunks=1", problem);
  const auto x = uniform<double>(500000, 4), before = uniform<double>(20000, 5);
  const auto first = device_product(*kernel, 0.3, x, 0.9, before);
  int different = 0;
  for (int k = 0; k < 100; ++k) {
    const Launch launch = k % 2 == 0 ? Launch::plain : Launch::graph;
    if (!same_bits(device_product(*kernel, 0.3, x, 0.9, before, launch), first)) ++different;
  }
  CHECK(different == 0);
  for (const LocalIndex row : {0, 10, 11, 5000, 19999, 123}) {
    const Expected e = expected(typed, row, 0.3, x, 0.9, before[row]);
    CHECK(std::fabs(first[row] - e.y) <= e.bound);
  }
}

TEST_CASE("csr-balanced: mostly empty rows") {
  std::vector<int> lengths(300000, 0);
  for (std::size_t i = 1000; i < 2000; i += 3) lengths[i] = 5;
  lengths[299998] = 1;
  check_exact<double>(with_lengths(lengths, 900, 7), "csr-balanced");
  check_exact<float>(with_lengths(std::vector<int>(100000, 0), 900, 7), "csr-balanced");
}

TEST_CASE("csr-balanced chooses hubs by itself, which change no bit") {
  const Matrix matrix = with_hubs();
  const std::string parameters = check_exact<double>(matrix, "csr-balanced:codes=off");
  CHECK(parameters == "hubs=40");
  CHECK(check_exact<float>(matrix, "csr-balanced:codes=off,hubs=0").empty());
  CHECK(check_exact<float>(matrix, "csr-balanced:codes=off,hubs=7") == "hubs=7");
  const KernelWork few = work_of_all("csr-balanced:codes=off", with_hubs(9));
  CHECK(few.parameters.empty());  // less than a fifth of them
  const Matrix near = with_lengths(std::vector<int>(50000, 9), 10000, 1);
  CHECK(work_of_all("csr-balanced:codes=off", near).parameters == "columns=16");

  const Matrix uneven = battery::with_random_values(matrix);
  const Typed<double> typed(uneven);
  const DeviceProblem<double> problem(typed, row_lists(60000).front());
  auto x = uniform<double>(600000, 4);
  x[2 * 14990] = std::numeric_limits<double>::infinity();  // a hub
  const std::vector<double> before(60000, std::numeric_limits<double>::quiet_NaN());
  const auto with = device_product(*make_or_refuse("csr-balanced", problem), 1.0, x, 0.0, before);
  const auto without =
      device_product(*make_or_refuse("csr-balanced:hubs=0", problem), 1.0, x, 0.0, before);
  CHECK(same_bits(with, without));
}

TEST_CASE("csr-balanced holds a copy only where it must") {
  const Matrix matrix = with_hubs();
  const auto nonzeros = static_cast<std::int64_t>(matrix.indices.size());
  const KernelWork in_place = work_of_all("csr-balanced:codes=off,hubs=0", matrix);
  CHECK(in_place.stored_entries == nonzeros);
  CHECK(in_place.matrix_bytes >= 12 * nonzeros + nonzeros / 4);
  CHECK(in_place.footprint_bytes < 3 * nonzeros);
  const KernelWork hubs = work_of_all("csr-balanced:codes=off", matrix);
  CHECK(hubs.footprint_bytes - in_place.footprint_bytes == 4 * nonzeros + 4 * 40);

  const Typed<double> typed(matrix);
  const std::vector<NamedList> lists = row_lists(matrix.rows());
  const NamedList& third = lists[2];
  const DeviceProblem<double> problem(typed, third);
  const KernelWork copied = make_or_refuse("csr-balanced:codes=off,hubs=0", problem)->work();
  const Offset listed = listed_nonzeros(typed.view(), third.view());
  CHECK(copied.stored_entries == listed);
  CHECK(copied.footprint_bytes >= 12 * listed);
}

TEST_CASE("columns of csr-balanced take 16 bits where nearly all chunks allow it") {
  // Chunks of 256 entries, a row each; from row `wide` on their columns span 65536, before 65535.
  const auto chunks = [](std::size_t rows, std::size_t wide) {
    Matrix matrix;
    matrix.name = "rows as long as chunks, wide from " + std::to_string(wide);
    matrix.columns = 200000;
    for (std::size_t i = 0; i < rows; ++i) {
      const auto begin = static_cast<LocalIndex>(mix64(5, i) % 100000);
      for (LocalIndex k = 0; k + 1 < chunk_entries; ++k) {
        matrix.add(begin + 250 * k, integer_at(i, static_cast<std::uint64_t>(k)));
      }
      matrix.add(begin + (i < wide ? 65535 : 65536), 3);
      matrix.end_row();
    }
    return matrix;
  };
  CHECK(check_exact<double>(chunks(40, 40), "csr-balanced:codes=off") == "columns=16");
  CHECK(check_exact<double>(chunks(40, 36), "csr-balanced:codes=off") == "columns=16");
  CHECK(check_exact<double>(chunks(40, 35), "csr-balanced:codes=off").empty());
  CHECK(check_exact<float>(chunks(40, 20), "csr-balanced:codes=off,columns=16") == "columns=16");
  CHECK(check_exact<float>(chunks(40, 40), "csr-balanced:codes=off,columns=32").empty());

  const auto entries = std::int64_t{40} * chunk_entries;
  const KernelWork coded = work_of_all("csr-balanced:codes=off", chunks(40, 40));
  const KernelWork wide = work_of_all("csr-balanced:codes=off,columns=32", chunks(40, 40));
  CHECK(wide.matrix_bytes - coded.matrix_bytes == 2 * entries - 4 * 40);
  CHECK(coded.footprint_bytes - wide.footprint_bytes == 2 * entries + 4 * 40);
  const KernelWork mixed = work_of_all("csr-balanced:codes=off", chunks(40, 36));
  CHECK(mixed.matrix_bytes - coded.matrix_bytes == 4 * 4 * chunk_entries);
}

TEST_CASE("csr-balanced deals very long rows out to all blocks") {
  std::vector<int> lengths(200000, 5);
  for (const std::size_t row : {17, 60000, 60001, 150000}) lengths[row] = 600000;
  const Matrix near = with_lengths(lengths, 700000, 1), far = with_lengths(lengths, 3000017, 5);
  CHECK(check_exact<double>(near, "csr-balanced:codes=off,chunks=1") == "columns=16");
  CHECK(check_exact<double>(far, "csr-balanced:codes=off,chunks=1,columns=32,hubs=0").empty());
}

TEST_CASE("csr-balanced refuses hubs that no shared memory holds") {
  const Matrix identity = pattern("identity", 64, 64, [](auto i, auto j) { return i == j; });
  const Typed<double> small(identity);
  const DeviceProblem<double> problem(small, row_lists(64).front());
  for (const char* wrong : {"hubs=-1", "hubs=1000000", "chunks=0", "hubs=auto", "codes=maybe",
                            "columns=8", "columns=16,hubs=10"}) {
    CHECK(!make_or_refuse(std::string("csr-balanced:") + wrong, problem));
  }
}

namespace {

/// `matrix` with entry e of value(e).
template <class Value>
Matrix with_values(Matrix matrix, const Value& value) {
  for (std::size_t e = 0; e < matrix.values.size(); ++e) matrix.values[e] = value(e);
  return matrix;
}

std::string without_codes(const std::string& spec) {
  const std::string on = "codes=on";
  const std::size_t place = spec.find(on);
  if (place == std::string::npos) return with_option(spec, "codes=off");
  return std::string(spec).replace(place, on.size(), "codes=off");
}

/// The y of `spec` has the bits of the same with codes=off. Returns the parameters.
template <class T>
std::string same_without_codes(const Matrix& matrix, const std::string& spec) {
  const auto rows = static_cast<LocalIndex>(matrix.rows());
  const Typed<T> typed(matrix);
  const auto x = uniform<T>(matrix.columns, 4), before = uniform<T>(rows, 5);
  std::string parameters;
  for (const NamedList& list : row_lists(rows)) {
    const DeviceProblem<T> problem(typed, list);
    const auto with = make_or_refuse(spec, problem);
    const auto without = make_or_refuse(without_codes(spec), problem);
    REQUIRE((with && without));
    CHECK(same_bits(device_product(*with, T(0.3), x, T(0.9), before),
                    device_product(*without, T(0.3), x, T(0.9), before)));
    CHECK(with->work().matrix_bytes <= without->work().matrix_bytes);
    if (list.all) parameters = with->work().parameters;
  }
  return parameters;
}

}  // namespace

TEST_CASE("csr-balanced stores few distinct values by position, others in 16 bits or fp32",
          "[short]") {
  std::vector<int> lengths(3000, 7);
  lengths[5] = 20000;
  const Matrix near = with_lengths(lengths, 30000, 1), far = with_lengths(lengths, 300017, 97);
  const auto tenths = [](std::size_t e) { return 0.1 * static_cast<double>(e % 256); };
  const auto more = [](std::size_t e) { return 0.1 * static_cast<double>(e % 257); };
  const auto halves = [](std::size_t e) { return e == 9 ? -0.0 : 0.5 * static_cast<double>(e); };
  const auto eighths = [](std::size_t e) { return 99 - 0.125 * static_cast<double>(e % 40000); };
  for (const Matrix& matrix : {near, far}) {
    for (const char* columns :
         {"csr-balanced:codes=on,hubs=30", "csr-balanced:codes=on,columns=32"}) {
      const bool hubs = std::string(columns).find("hubs") != std::string::npos;
      const std::string first = hubs ? "hubs=30," : "";
      const auto one = [](std::size_t) { return 0.1; };
      CHECK(same_without_codes<double>(with_values(matrix, one), columns) == first + "values=1");
      CHECK(same_without_codes<double>(with_values(matrix, tenths), columns) ==
            first + "values=256");
      CHECK(same_without_codes<float>(with_values(matrix, tenths), columns) ==
            first + "values=256");
      CHECK(same_without_codes<double>(with_values(matrix, halves), columns) ==
            first + "values=fp32");
      CHECK(same_without_codes<double>(with_values(matrix, eighths), columns) ==
            first + "values=16-bit");
      CHECK(same_without_codes<float>(with_values(matrix, eighths), columns) ==
            first + "values=16-bit");
    }
  }
  CHECK(same_without_codes<double>(with_values(near, tenths), "csr-balanced:codes=on,columns=16") ==
        "columns=16,values=256");
  CHECK(
      same_without_codes<double>(with_values(near, eighths), "csr-balanced:codes=on,columns=16") ==
      "columns=16,values=16-bit");
  CHECK(same_without_codes<double>(with_values(far, more), "csr-balanced:codes=on,columns=32")
            .empty());
  CHECK(same_without_codes<double>(with_values(near, halves),
                                   "asell:codes=on,unroll=low,max_padding=1e9")
            .find("values=fp32") != std::string::npos);
}

TEST_CASE("csr-packed stores values as csr-balanced does", "[short]") {
  // Longer than a thread block of 128 threads has slots, and empty rows.
  std::vector<int> lengths(3000, 7);
  lengths[5] = 900;
  lengths[6] = lengths[2999] = 0;
  const Matrix matrix = with_lengths(lengths, 30000, 1);
  const auto parameters = [&](auto value) {
    const Matrix valued = with_values(matrix, value);
    const std::string of_single = same_without_codes<float>(valued, "csr-packed:codes=on");
    const std::string text = same_without_codes<double>(valued, "csr-packed:codes=on");
    if (text.find("fp32") == std::string::npos) CHECK(of_single == text);
    return text;
  };
  CHECK(parameters([](std::size_t) { return -0.1; }) == "block=256,values=1");
  CHECK(parameters([](std::size_t e) { return 0.1 * static_cast<double>(e % 256); }) ==
        "block=256,values=256");
  CHECK(parameters([](std::size_t e) { return 0.1 * static_cast<double>(e % 257); }) ==
        "block=256");
  CHECK(parameters([](std::size_t e) { return 0.5 * static_cast<double>(e); }) ==
        "block=256,values=16-bit");
  CHECK(parameters([](std::size_t e) { return e == 9 ? -0.0 : 0.5 * static_cast<double>(e); }) ==
        "block=256,values=fp32");
}

TEST_CASE("values of small matrices in CSR's order are coded on demand only") {
  const auto one = [](std::size_t) { return 1.0; };
  const Matrix small = with_values(with_lengths(std::vector<int>(400, 7), 3000, 1), one);
  const Matrix large = with_values(with_lengths(std::vector<int>(60000, 9), 70000, 1), one);
  for (const char* name : {"csr-balanced", "csr-packed"}) {
    CHECK(same_without_codes<double>(small, name).find("values") == std::string::npos);
    CHECK(same_without_codes<double>(large, name).find("values=1") != std::string::npos);
  }
}

TEST_CASE("values that fewer bits do not hold with all theirs stay as they are", "[short]") {
  const Matrix matrix = with_lengths(std::vector<int>(400, 7), 3000, 1);
  const auto quarters = [](std::size_t e) { return 0.25 * static_cast<double>(e); };
  const auto but = [&](double value) {
    Matrix changed = with_values(matrix, quarters);
    changed.values[1234] = value;
    return same_without_codes<double>(changed, "csr-balanced:codes=on,columns=32");
  };
  CHECK(but(2.5) == "values=16-bit");
  CHECK(but(16383.75) == "values=16-bit");
  CHECK(but(16384) == "values=fp32");
  CHECK(but(-0.0) == "values=fp32");
  CHECK(but(1 + 0x1p-23) == "values=fp32");
  CHECK(but(0x1p-149) == "values=fp32");
  CHECK(but(std::numeric_limits<double>::infinity()) == "values=fp32");
  CHECK(but(1 + 0x1p-24).empty());
  CHECK(but(0x1p-150).empty());
  CHECK(but(0x1p128).empty());
}

TEST_CASE("no values are coded where the matrix does not allow it") {
  const Matrix matrix = with_lengths(std::vector<int>(400, 7), 3000, 1);
  const Typed<double> typed(matrix);
  CsrView view = typed.view();
  view.value_codes = false;
  const DeviceCsr csr(view);
  for (const char* name : {"csr-balanced:columns=32", "asell"}) {
    const Spec spec = Spec::parse(name, "--format");
    const auto kernel = find_format(spec.name(), Device::gpu).make(csr.view(), all_rows(400), spec);
    INFO(kernel->work().parameters);
    CHECK(kernel->work().parameters.find("values") == std::string::npos);
  }
}

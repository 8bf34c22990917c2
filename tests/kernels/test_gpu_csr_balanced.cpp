// SPDX-License-Identifier: BSD-3-Clause
//
// csr-balanced beyond the battery of test_gpu_formats.cpp: rows that end where chunks and shares
// do, rows that hundreds of shares have parts of, mostly empty rows, hubs, what it holds in memory.
#include <numeric>

#include "kernels/gpu/balanced_plan.hpp"
#include "kernels/work.hpp"
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

/// Rows of these lengths; the columns of a row are `step` apart, from a start of its own.
Matrix with_lengths(const std::vector<int>& lengths, LocalIndex columns, LocalIndex step) {
  Matrix matrix;
  matrix.name = "rows of given lengths";
  matrix.columns = columns;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto start = static_cast<std::int64_t>(mix64(3, i) % 1000);
    for (int k = 0; k < lengths[i]; ++k) {
      const auto column = static_cast<LocalIndex>((start + std::int64_t{k} * step) % columns);
      matrix.add(column, integer_at(i, static_cast<std::uint64_t>(k)));
    }
    matrix.end_row();
  }
  return matrix;
}

/// Every list of rows, exact on integers; returns what the kernel chose for all rows.
template <class T>
std::string check_exact(const Matrix& matrix, const std::string& spec) {
  const Typed<T> typed(matrix);
  const auto x = integers<T>(matrix.columns, 1), before = integers<T>(matrix.rows(), 2);
  std::string parameters;
  for (const NamedList& list : row_lists(matrix.rows())) {
    INFO(spec << ", " << matrix.name << ", " << list.name);
    const DeviceProblem<T> problem(typed, list);
    const auto kernel = make_or_refuse(spec, problem);
    REQUIRE(kernel);
    if (list.all) parameters = kernel->work().parameters;
    const auto right = by_the_bits<T>(typed, list.rows, 2, x, -1, before);
    for (int repeat = 0; repeat < 2; ++repeat) {
      CHECK(device_product<T>(*kernel, 2, x, -1, before) == right);
      CHECK(device_product<T>(*kernel, 2, x, -1, before, Launch::graph) == right);
    }
  }
  return parameters;
}

/// Every `every`-th entry of a row in one of 40 columns, the others anywhere.
Matrix with_hubs(std::uint64_t every = 2) {
  Matrix matrix;
  matrix.name = "40 hubs";
  matrix.columns = 60000;
  for (std::uint64_t i = 0; i < 60000; ++i) {
    for (std::uint64_t k = 0; k < i % 12; ++k) {
      const std::uint64_t dice = mix64(mix64(11, i), k);
      matrix.add(static_cast<LocalIndex>(k % every == 0 ? dice % 40 * 1499 : dice % 60000),
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
  for (const char* spec : {"csr-balanced", "csr-balanced:chunks=1", "csr-balanced:hubs=100"}) {
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
  check_exact<double>(matrix, "csr-balanced");
  check_exact<double>(matrix, "csr-balanced:chunks=1,hubs=3000");

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
  const std::string parameters = check_exact<double>(matrix, "csr-balanced");
  CHECK(parameters == "hubs=40");
  CHECK(check_exact<float>(matrix, "csr-balanced:hubs=0").empty());
  CHECK(check_exact<float>(matrix, "csr-balanced:hubs=7") == "hubs=7");
  CHECK(work_of_all("csr-balanced", with_hubs(9)).parameters.empty());  // less than a fifth of them
  const std::vector<int> lengths(50000, 9);
  CHECK(work_of_all("csr-balanced", with_lengths(lengths, 10000, 1)).parameters.empty());

  const Matrix uneven = battery::with_random_values(matrix);
  const Typed<double> typed(uneven);
  const DeviceProblem<double> problem(typed, row_lists(60000).front());
  auto x = uniform<double>(60000, 4);
  x[2 * 1499] = std::numeric_limits<double>::infinity();  // a hub
  const std::vector<double> before(60000, std::numeric_limits<double>::quiet_NaN());
  const auto with = device_product(*make_or_refuse("csr-balanced", problem), 1.0, x, 0.0, before);
  const auto without =
      device_product(*make_or_refuse("csr-balanced:hubs=0", problem), 1.0, x, 0.0, before);
  CHECK(same_bits(with, without));
}

TEST_CASE("csr-balanced holds a copy only where it must") {
  const Matrix matrix = with_hubs();
  const auto nonzeros = static_cast<std::int64_t>(matrix.indices.size());
  const KernelWork in_place = work_of_all("csr-balanced:hubs=0", matrix);
  CHECK(in_place.stored_entries == nonzeros);
  CHECK(in_place.matrix_bytes >= 12 * nonzeros + nonzeros / 4);
  CHECK(in_place.footprint_bytes < 3 * nonzeros);
  const KernelWork hubs = work_of_all("csr-balanced", matrix);
  CHECK(hubs.footprint_bytes - in_place.footprint_bytes == 4 * nonzeros + 4 * 40);

  const Typed<double> typed(matrix);
  const std::vector<NamedList> lists = row_lists(matrix.rows());
  const NamedList& third = lists[2];
  const DeviceProblem<double> problem(typed, third);
  const KernelWork copied = make_or_refuse("csr-balanced:hubs=0", problem)->work();
  const Offset listed = listed_nonzeros(typed.view(), third.view());
  CHECK(copied.stored_entries == listed);
  CHECK(copied.footprint_bytes >= 12 * listed);
}

TEST_CASE("csr-balanced refuses hubs that no shared memory holds") {
  const Matrix identity = pattern("identity", 64, 64, [](auto i, auto j) { return i == j; });
  const Typed<double> small(identity);
  const DeviceProblem<double> problem(small, row_lists(64).front());
  for (const char* wrong : {"hubs=-1", "hubs=1000000", "chunks=0", "hubs=auto"}) {
    CHECK(!make_or_refuse(std::string("csr-balanced:") + wrong, problem));
  }
}

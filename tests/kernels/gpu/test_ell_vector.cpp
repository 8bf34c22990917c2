// SPDX-License-Identifier: BSD-3-Clause
//
// ell-vector beyond what every GPU format is tested for: products that start before the one before
// has ended still read what that wrote, its own choice of threads per row, its bits and refusals.
#include "partition/base/errors.hpp"
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

/// Four entries per row, all over the columns: what one block writes the next product reads in
/// others.
Matrix scattered(LocalIndex rows) {
  Matrix matrix;
  matrix.name = "scattered";
  matrix.columns = rows;
  const LocalIndex quarter = rows / 4;
  for (LocalIndex i = 0; i < rows; ++i) {
    for (LocalIndex part = 0; part < 4; ++part) matrix.add(part * quarter + i * 31 % quarter, 1);
    matrix.end_row();
  }
  return battery::with_random_values(matrix);
}

enum class Products { awaited, called, from_graph };

/// x after `count` products, each of the y of the one before.
std::vector<double> power(const SpmvKernel& kernel, const std::vector<double>& x, int count,
                          Products products) {
  const StreamHandle handle;
  const Stream stream = handle.stream();
  const DeviceArray<double> start{std::span<const double>(x)};
  const DeviceArray<double> a(start.size()), b(start.size());
  const auto all = [&] {
    copy_async(a.data(), start.data(), static_cast<std::size_t>(start.bytes()), stream);
    for (int k = 0; k < count; ++k) {
      const auto &from = k % 2 == 0 ? a : b, &to = k % 2 == 0 ? b : a;
      kernel.apply({0.7, {from.data(), NumberType::fp64}, 0.0, {to.data(), NumberType::fp64}},
                   stream);
      if (products == Products::awaited) handle.synchronize();
    }
  };
  if (products == Products::from_graph) {
    GraphExec(stream, all).launch(stream);
  } else {
    all();
  }
  handle.synchronize();
  return (count % 2 == 0 ? a : b).to_host();
}

std::string threads_of(const std::string& spec, const Matrix& matrix) {
  const Typed<double> typed(matrix);
  const DeviceProblem<double> problem(typed, row_lists(matrix.rows()).front());
  return make_or_refuse(spec, problem)->work().parameters;
}

}  // namespace

TEST_CASE("ell-vector several times in a row for the sanitizers", "[short]") {
  const Matrix matrix = scattered(300);
  const Typed<double> typed(matrix);
  const DeviceProblem<double> problem(typed, row_lists(300).front());
  const auto x = uniform<double>(300, 1);
  const auto kernel = make_or_refuse("ell-vector:threads=2", problem);
  REQUIRE(kernel);
  const auto right = power(*kernel, x, 5, Products::awaited);
  CHECK(same_bits(power(*kernel, x, 5, Products::called), right));
  CHECK(same_bits(power(*kernel, x, 5, Products::from_graph), right));
}

TEST_CASE("ell-vector: each product reads what the one before wrote") {
  for (const LocalIndex rows : {100, 2500, 12000, 50000}) {
    const Matrix matrix = scattered(rows);
    const Typed<double> typed(matrix);
    const DeviceProblem<double> problem(typed, row_lists(rows).front());
    const auto x = uniform<double>(rows, 1);
    for (const char* spec : {"ell-vector", "ell-vector:threads=1", "ell-vector:threads=8"}) {
      const auto kernel = make_or_refuse(spec, problem);
      REQUIRE(kernel);
      const auto right = power(*kernel, x, 31, Products::awaited);
      int wrong = 0;
      for (int repeat = 0; repeat < 30; ++repeat) {
        for (const Products products : {Products::called, Products::from_graph}) {
          if (!same_bits(power(*kernel, x, 31, products), right)) ++wrong;
        }
      }
      INFO(spec << ", " << rows << " rows");
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("ell-vector takes the fewest threads that load a row at once") {
  const auto rows_of = [](LocalIndex length) {
    return pattern("even", 64, 200, [=](auto, LocalIndex j) { return j < length; });
  };
  CHECK(threads_of("ell-vector", rows_of(1)) == "threads=1");
  CHECK(threads_of("ell-vector", rows_of(5)) == "threads=1");
  CHECK(threads_of("ell-vector", rows_of(6)) == "threads=2");
  CHECK(threads_of("ell-vector", rows_of(27)) == "threads=8");
  CHECK(threads_of("ell-vector", rows_of(200)) == "threads=32");
  CHECK(threads_of("ell-vector:threads=16", rows_of(4)) == "threads=16");
}

TEST_CASE("ell-vector with one thread per row has the bits of csr") {
  const Matrix matrix = battery::with_random_values(random(301, 257));
  const Typed<double> typed(matrix);
  const auto x = uniform<double>(257, 1), before = uniform<double>(301, 2);
  for (const NamedList& list : row_lists(301)) {
    const DeviceProblem<double> problem(typed, list);
    const auto kernel = make_or_refuse("ell-vector:threads=1,max_padding=1e9", problem);
    REQUIRE(kernel);
    INFO(list.name);
    CHECK(same_bits(device_product(*kernel, 0.3, x, -1.5, before),
                    by_the_bits(typed, list.rows, 0.3, x, -1.5, before)));
  }
}

TEST_CASE("ell-vector refuses padding beyond its limit, and wrong threads") {
  const Matrix heavy = one_long_row(200000);
  const Typed<double> typed(heavy);
  const DeviceProblem<double> problem(typed, row_lists(64).front());
  const auto refusal = [&](const char* text) -> std::string {
    const Spec spec = Spec::parse(text, "--format");
    try {
      find_format("ell-vector", Device::gpu).make(problem.csr.view(), problem.view(), spec);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string message = refusal("ell-vector");
  INFO(message);
  for (const char* part : {"12800000 slots", "200063 nonzeros", "63.0 times", "max_padding"}) {
    CHECK(message.find(part) != std::string::npos);
  }
  CHECK(refusal("ell-vector:max_padding=63").empty());
  for (const char* wrong : {"ell-vector:threads=64", "ell-vector:threads=6"}) {
    INFO(refusal(wrong));
    CHECK(refusal(wrong).find("1, 2, 4, 8, 16 or 32") != std::string::npos);
  }
  CHECK_FALSE(refusal("ell-vector:threads=0").empty());
}

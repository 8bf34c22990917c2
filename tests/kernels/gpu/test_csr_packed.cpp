// SPDX-License-Identifier: BSD-3-Clause
//
// csr-packed beyond what every GPU format is tested for: rows that end where lanes, warps and
// blocks do, products that start before the one before has ended, refusals.
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

enum class Products { awaited, called, from_graph };

/// x after `count` products, each of the y of the one before.
std::vector<double> power(const SpmvKernel& kernel, const std::vector<double>& x, int count,
                          Products products) {
  const StreamHandle handle;
  const DeviceArray<double> a{std::span<const double>(x)}, b(a.size());
  const auto all = [&] {
    for (int k = 0; k < count; ++k) {
      const auto &from = k % 2 == 0 ? a : b, &to = k % 2 == 0 ? b : a;
      kernel.apply({0.7, {from.data(), NumberType::fp64}, 0.0, {to.data(), NumberType::fp64}},
                   handle.stream());
      if (products == Products::awaited) handle.synchronize();
    }
  };
  if (products == Products::from_graph) {
    GraphExec(handle.stream(), all).launch(handle.stream());
  } else {
    all();
  }
  handle.synchronize();
  return (count % 2 == 0 ? a : b).to_host();
}

}  // namespace

TEST_CASE("csr-packed: rows that end where lanes, warps and blocks do") {
  std::vector<int> lengths;
  for (const int length : {1, 3, 4, 5, 127, 128, 129, 511, 512, 513, 1023, 1024, 0, 0, 896, 128}) {
    lengths.insert(lengths.end(), {length, 4, 0, 1020});
  }
  for (int length = 0; length < 300; ++length) lengths.push_back(length % 37);
  const Matrix matrix = with_lengths(lengths, 5000, 3);
  CHECK(check_exact<double>(matrix, "csr-packed") == "block=256");
  CHECK(check_exact<double>(matrix, "csr-packed:block=512") == "block=512");
  check_exact<float>(matrix, "csr-packed:block=1024");
  lengths.push_back(4096);
  CHECK(check_exact<float>(with_lengths(lengths, 5000, 1), "csr-packed") == "block=1024");
  check_exact<double>(with_lengths(std::vector<int>(3000, 0), 10, 1), "csr-packed");
}

TEST_CASE("products of csr-packed that start early read what the one before wrote") {
  for (const int rows : {600, 20000, 200000}) {
    INFO(rows << " rows");
    const Matrix matrix = battery::with_random_values(
        with_lengths(std::vector<int>(static_cast<std::size_t>(rows), 4), rows, rows / 4 - 1));
    const Typed<double> typed(matrix);
    const DeviceProblem<double> problem(typed, row_lists(rows).front());
    const auto kernel = make_or_refuse("csr-packed", problem);
    const auto x = uniform<double>(rows, 4);
    const auto right = power(*kernel, x, 50, Products::awaited);
    for (int repeat = 0; repeat < 5; ++repeat) {
      CHECK(same_bits(power(*kernel, x, 50, Products::called), right));
      CHECK(same_bits(power(*kernel, x, 50, Products::from_graph), right));
    }
  }
}

TEST_CASE("csr-packed refuses rows longer than a block") {
  const Matrix matrix = with_lengths({5, 4097}, 5000, 1);
  const Typed<double> typed(matrix);
  const DeviceProblem<double> problem(typed, row_lists(2).front());
  CHECK(!make_or_refuse("csr-packed", problem));
  const Matrix shorter = with_lengths({5, 129}, 5000, 1);
  const Typed<double> other(shorter);
  const DeviceProblem<double> fits(other, row_lists(2).front());
  CHECK(make_or_refuse("csr-packed", fits));
  for (const char* wrong : {"block=32", "block=48", "block=2048", "block=0"}) {
    CHECK(!make_or_refuse(std::string("csr-packed:") + wrong, fits));
  }
}

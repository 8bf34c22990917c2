// SPDX-License-Identifier: BSD-3-Clause
//
// csr-binned beyond what every GPU format is tested for: cells of all sizes, empty panels and bins,
// rows in any stored order, refusals.
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

TEST_CASE("csr-binned: cells of all sizes") {
  std::vector<int> lengths;
  for (int length = 0; length < 300; ++length) lengths.push_back(length * 17 % 193);
  lengths[7] = 1500;
  for (int row = 20; row < 60; ++row) lengths[static_cast<std::size_t>(row)] = 0;
  const Matrix wrapped = with_lengths(lengths, 3001, 7);  // columns do not ascend
  for (const int panels : {1, 2, 5, 132, 400}) {
    for (const char* load : {"", ",load=1", ",load=40", ",load=1000"}) {
      const std::string spec = "csr-binned:panels=" + std::to_string(panels) + load;
      check_exact<double>(wrapped, spec);
      check_exact<float>(wrapped, spec);
    }
  }
  CHECK(check_exact<double>(wrapped, "csr-binned:panels=400,load=1000")
            .rfind("panels=376 bins=", 0) == 0);
  check_exact<double>(with_lengths(std::vector<int>(100, 0), 10, 1), "csr-binned:panels=2,load=7");
}

TEST_CASE("csr-binned: more panels than warps take at once, many bins") {
  const Matrix wide = with_lengths(std::vector<int>(3000, 60), 8000009, 130003);
  check_exact<double>(wide, "csr-binned");
  check_exact<float>(wide, "csr-binned:panels=700,load=3000");
}

TEST_CASE("csr-binned refuses long rows, and panels that no shared memory holds") {
  const Matrix matrix = with_lengths(std::vector<int>(5, 10000), 1000000, 30);
  const Typed<double> typed(matrix);
  const DeviceProblem<double> problem(typed, row_lists(5).front());
  CHECK(!make_or_refuse("csr-binned", problem));
  const Matrix banded = with_lengths(std::vector<int>(50, 30), 1000000, 3000);
  const Typed<double> typed_banded(banded);
  const DeviceProblem<double> fine(typed_banded, row_lists(50).front());
  CHECK(make_or_refuse("csr-binned", fine));
  for (const char* wrong : {"panels=0", "panels=2", "panels=auto", "load=0", "load=1000000"}) {
    CHECK(!make_or_refuse(std::string("csr-binned:") + wrong, fine));
  }
}

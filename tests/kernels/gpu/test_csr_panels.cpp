// SPDX-License-Identifier: BSD-3-Clause
//
// csr-panels beyond what every GPU format is tested for: panels of one column, empty ones, rows in
// any stored order, the choice of panels, refusals.
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

TEST_CASE("csr-panels: pieces of all lengths") {
  std::vector<int> lengths;
  for (int length = 0; length < 200; ++length) lengths.push_back(length * 17 % 193);
  lengths[7] = 5000;
  const Matrix wrapped = with_lengths(lengths, 3001, 7);  // columns do not ascend
  for (const int panels : {1, 2, 5, 132, 3001, 5000}) {
    check_exact<double>(wrapped, "csr-panels:panels=" + std::to_string(panels));
    check_exact<float>(wrapped, "csr-panels:panels=" + std::to_string(panels));
  }
  CHECK(check_exact<double>(wrapped, "csr-panels:panels=5000") == "panels=3001");
  check_exact<double>(with_lengths(std::vector<int>(100, 0), 10, 1), "csr-panels:panels=2");
}

TEST_CASE("csr-panels: rows longer than what a warp converts") {
  // 16384 entries: none, one, some, just as many, one more, several times as many.
  for (const int step : {1, 7}) {
    INFO("step " << step);
    const Matrix matrix =
        with_lengths({0, 16384, 1, 0, 0, 16385, 70000, 16383, 32768, 5, 0}, 90001, step);
    for (const int panels : {5, 132, 1000}) {
      check_exact<double>(matrix, "csr-panels:panels=" + std::to_string(panels));
    }
    check_exact<float>(matrix, "csr-panels:panels=132");
  }
}

TEST_CASE("csr-panels takes as many panels as there are multiprocessors, or a multiple") {
  const int multiprocessors = describe_device(0).multiprocessors;
  const Matrix few = with_lengths(std::vector<int>(60, 40000), 1000003, 25);
  CHECK(check_exact<double>(few, "csr-panels")
            .rfind("panels=" + std::to_string(multiprocessors), 0) == 0);
  const Matrix wide = with_lengths(std::vector<int>(40, 100000), 8000009, 79);
  const std::string parameters = check_exact<double>(wide, "csr-panels");
  CHECK(parameters.rfind("panels=", 0) == 0);
  CHECK(parameters != "panels=" + std::to_string(multiprocessors));
}

TEST_CASE("csr-panels refuses short rows, and panels that no shared memory holds") {
  const Matrix matrix = with_lengths(std::vector<int>(50, 300), 1000000, 3000);
  const Typed<double> typed(matrix);
  const DeviceProblem<double> problem(typed, row_lists(50).front());
  CHECK(!make_or_refuse("csr-panels", problem));
  CHECK(make_or_refuse("csr-panels:panels=100", problem));
  for (const char* wrong : {"panels=0", "panels=2", "panels=auto"}) {
    CHECK(!make_or_refuse(std::string("csr-panels:") + wrong, problem));
  }
}

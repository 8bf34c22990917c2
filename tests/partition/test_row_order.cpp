// SPDX-License-Identifier: BSD-3-Clause
//
// Rows in any order come out sorted, with duplicates summed as they stand.
#include "partition/row_order.hpp"

#include <algorithm>

#include "partition/base/hash.hpp"
#include "tests/catch.hpp"
#include "tests/partition/assembled.hpp"

using namespace rowhalo;

namespace {

DistributedCsr rows_of(std::vector<Offset> offsets, std::vector<GlobalIndex> columns,
                       std::vector<double> values) {
  DistributedCsr matrix;
  matrix.offsets = std::move(offsets);
  matrix.columns = std::move(columns);
  matrix.values = std::move(values);
  return matrix;
}

}  // namespace

TEST_CASE("put_in_order sorts and sums in file order", "[row_order]") {
  // 1e16 + 1 - 1e16 is 0 in this order and 1 in another.
  DistributedCsr matrix =
      rows_of({0, 2, 6, 6, 7}, {4, 2, 3, 1, 3, 3, 0}, {1, 5, 1e16, 7, 1, -1e16, 2});
  put_in_order(matrix);
  CHECK(matrix.offsets == std::vector<Offset>{0, 2, 4, 4, 5});
  CHECK(matrix.columns == std::vector<GlobalIndex>{2, 4, 1, 3, 0});
  CHECK(matrix.values == std::vector<double>{5, 1, 7, 0, 2});
}

TEST_CASE("put_in_order leaves what is in order", "[row_order]") {
  DistributedCsr matrix = rows_of({0, 0, 3}, {0, 7, 9}, {0, -0.0, 2});
  put_in_order(matrix);
  CHECK(matrix.offsets == std::vector<Offset>{0, 0, 3});
  CHECK(matrix.columns == std::vector<GlobalIndex>{0, 7, 9});
  DistributedCsr empty = rows_of({0}, {}, {});
  put_in_order(empty);
  CHECK(empty.local_rows() == 0);
}

TEST_CASE("put_in_order agrees with assemble_rows", "[row_order]") {
  constexpr GlobalIndex rows = 3000, entries = 20;
  DistributedCsr matrix = rows_of({0}, {}, {});
  std::vector<Entry> copies;
  for (GlobalIndex row = 0; row < rows; ++row) {
    for (GlobalIndex k = 0; k < entries; ++k) {
      const auto column = static_cast<GlobalIndex>(mix64(row, k) % (row % 3 == 0 ? 5 : 1000));
      copies.push_back({row, column, uniform_value(1, row * entries + k)});
      matrix.columns.push_back(column);
      matrix.values.push_back(copies.back().value);
    }
    matrix.offsets.push_back(static_cast<Offset>(matrix.columns.size()));
  }
  put_in_order(matrix);
  const DistributedCsr assembled = assemble_rows(MatrixInfo{}, 0, rows, copies);
  CHECK(matrix.offsets == assembled.offsets);
  CHECK(matrix.columns == assembled.columns);
  CHECK(matrix.values == assembled.values);
}

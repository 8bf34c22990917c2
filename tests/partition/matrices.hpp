// SPDX-License-Identifier: BSD-3-Clause
//
// The battery of small named matrices for the tests of partition/. Every rank makes all entries;
// what is under test only ever gets this rank's share.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "partition/base/hash.hpp"
#include "partition/partitioners.hpp"
#include "tests/partition/assembled.hpp"

namespace rowhalo {

struct TestMatrix {
  MatrixInfo info;
  std::vector<Entry> entries;  ///< without duplicates
};

/// Entries where wanted(i, j); values are functions of the position.
template <class Wanted>
TestMatrix make_test_matrix(const std::string& name, GlobalIndex rows, GlobalIndex columns,
                            Wanted wanted, int block = 1) {
  TestMatrix matrix;
  matrix.info.source = name;
  matrix.info.rows = rows;
  matrix.info.columns = columns;
  matrix.info.block = block;
  for (GlobalIndex i = 0; i < rows; ++i) {
    for (GlobalIndex j = 0; j < columns; ++j) {
      if (wanted(i, j)) matrix.entries.push_back({i, j, uniform_value(i, j)});
    }
  }
  return matrix;
}

/// 7-point stencil, asymmetric values, `block` unknowns per point; its grid is known.
inline TestMatrix make_grid_matrix(GlobalIndex nx, GlobalIndex ny, GlobalIndex nz, int block) {
  const auto coupled = [=](GlobalIndex i, GlobalIndex j) {
    const GlobalIndex p = i / block, q = j / block;
    return std::abs(p % nx - q % nx) + std::abs(p / nx % ny - q / nx % ny) +
               std::abs(p / nx / ny - q / nx / ny) <=
           1;
  };
  const GlobalIndex rows = nx * ny * nz * block;
  TestMatrix matrix = make_test_matrix("grid", rows, rows, coupled, block);
  matrix.info.grid = Grid{{nx, ny, nz}};
  return matrix;
}

inline std::vector<TestMatrix> test_matrices() {
  const auto one_in = [](unsigned n) {
    return [n](GlobalIndex i, GlobalIndex j) { return mix64(17 + i, j) % n == 0; };
  };
  const auto everywhere = [](GlobalIndex, GlobalIndex) { return true; };
  return {
      make_test_matrix("identity", 20, 20, [](auto i, auto j) { return i == j; }),
      make_test_matrix("asymmetric band", 40, 40,
                       [](auto i, auto j) { return j >= i - 1 && j <= i + 4; }),
      make_test_matrix("heavy row", 33, 33, [](auto i, auto j) { return i == j || i == 7; }),
      make_test_matrix("every 4th row empty", 30, 30,
                       [&](auto i, auto j) { return i % 4 != 0 && one_in(5)(i, j); }),
      make_test_matrix("single row", 1, 1, everywhere),
      make_test_matrix("0 x 0", 0, 0, everywhere),
      make_test_matrix("no entries", 10, 10, [](auto, auto) { return false; }),
      make_test_matrix("dense row and column", 25, 25,
                       [](auto i, auto j) { return i == 11 || j == 13 || i == j; }),
      make_test_matrix("5 x 17", 5, 17, one_in(2)),
      make_test_matrix("17 x 5", 17, 5, one_in(2)),
      make_test_matrix("0 x 6", 0, 6, everywhere),
      make_test_matrix("6 x 0", 6, 0, everywhere),
      make_test_matrix("random", 60, 60, one_in(8)),
      make_test_matrix("random in blocks of 3", 50, 50, one_in(6), 3),
      make_test_matrix("wide in blocks of 2", 14, 31, one_in(3), 2),
      make_grid_matrix(4, 3, 2, 2),
  };
}

/// Whether `partitioner` takes such a matrix; the others refuse it.
inline bool suits(const PartitionerEntry& partitioner, const MatrixInfo& info) {
  if (partitioner.unusable != nullptr || partitioner.argument != nullptr) return false;
  const std::string_view name = partitioner.name;
  if (name == "metis" || name == "ptscotch") return info.rows == info.columns;
  return name != "box" || info.grid.has_value();
}

/// All rows, for comparison.
inline DistributedCsr whole_matrix(const TestMatrix& matrix) {
  return assemble_rows(matrix.info, 0, matrix.info.rows, matrix.entries);
}

/// This rank's even share of rows, as sources give it.
inline DistributedCsr even_share(const Comm& comm, const TestMatrix& matrix) {
  const auto first = even_split(matrix.info.rows, matrix.info.block, comm.size, comm.rank);
  const auto last = even_split(matrix.info.rows, matrix.info.block, comm.size, comm.rank + 1);
  std::vector<Entry> entries;
  for (const Entry& entry : matrix.entries) {
    if (entry.row >= first && entry.row < last) entries.push_back(entry);
  }
  return assemble_rows(matrix.info, first, last, entries);
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// For tests of generators: the matrix over the ranks and on one rank alone, and what holds for
// every one of them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "io/sources.hpp"
#include "partition/base/hash.hpp"
#include "tests/io/shared_file.hpp"

inline rowhalo::DistributedCsr load(const std::string& text) {
  rowhalo::Progress progress;
  return rowhalo::load_matrix(text, 0, world(), progress);
}

/// The matrix on one rank alone.
inline rowhalo::DistributedCsr load_alone(const std::string& text) {
  rowhalo::Progress progress;
  return rowhalo::load_matrix(text, 0, rowhalo::Comm::of(MPI_COMM_SELF), progress);
}

inline rowhalo::MatrixOutline outline_of(const std::string& text) {
  return rowhalo::outline_matrix(text, 0, world());
}

/// Entries of the rows of this rank, in order.
inline std::vector<ExactEntry> local_entries(const rowhalo::DistributedCsr& matrix) {
  std::vector<ExactEntry> entries;
  for (rowhalo::GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    for (auto k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      entries.push_back(exact(matrix.first_row + row, matrix.columns[k], matrix.values[k]));
    }
  }
  return entries;
}

/// Whether columns ascend without duplicates in every row of this rank, and lie in the matrix.
inline bool sound_rows(const rowhalo::DistributedCsr& matrix) {
  for (rowhalo::GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    const auto begin = matrix.columns.begin() + matrix.offsets[row];
    const auto end = matrix.columns.begin() + matrix.offsets[row + 1];
    if (begin == end) continue;
    if (*begin < 0 || *(end - 1) >= matrix.info.columns) return false;
    if (!std::is_sorted(begin, end) || std::adjacent_find(begin, end) != end) return false;
  }
  return true;
}

/// Collective. Whether a_ij and a_ji are equal to the bit for all i and j.
inline bool symmetric(const rowhalo::DistributedCsr& matrix) {
  std::uint64_t difference = 0;
  for (const ExactEntry& e : local_entries(matrix)) {
    const auto value = std::bit_cast<double>(e.bits);
    difference += rowhalo::hash_of_entry(e.row, e.column, value) -
                  rowhalo::hash_of_entry(e.column, e.row, value);
  }
  return rowhalo::wrapping_sum_over_ranks(world(), difference) == 0;
}

/// Collective.
inline std::int64_t nonzeros(const rowhalo::DistributedCsr& matrix) {
  return rowhalo::sum_over_ranks(world(), matrix.local_nonzeros());
}

/// Length of each row of this rank.
inline std::vector<rowhalo::Offset> row_lengths(const rowhalo::DistributedCsr& matrix) {
  std::vector<rowhalo::Offset> lengths;
  for (rowhalo::GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    lengths.push_back(matrix.offsets[row + 1] - matrix.offsets[row]);
  }
  return lengths;
}

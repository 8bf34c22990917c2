// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices that every kind of file must bring back bit by bit, each distributed evenly.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "partition/base/hash.hpp"
#include "tests/io/shared_file.hpp"
#include "tests/partition/assembled.hpp"

/// This rank's share of a matrix that every rank knows.
inline rowhalo::DistributedCsr dealt_out(const rowhalo::MatrixInfo& info,
                                         const std::vector<rowhalo::Entry>& entries) {
  const rowhalo::Comm comm = world();
  const auto first = rowhalo::even_split(info.rows, info.block, comm.size, comm.rank);
  const auto last = rowhalo::even_split(info.rows, info.block, comm.size, comm.rank + 1);
  std::vector<rowhalo::Entry> own;
  for (const rowhalo::Entry& entry : entries) {
    if (entry.row >= first && entry.row < last) own.push_back(entry);
  }
  return rowhalo::assemble_rows(info, first, last, own);
}

/// Numbers that lose their bits in careless writers.
inline std::vector<double> awkward_values() {
  using limits = std::numeric_limits<double>;
  std::vector<double> values{0.0,           -0.0,           0.1,      1.0 / 3,
                             5e-324,        limits::min(),  1e22,     123456789012345680.0,
                             limits::max(), -limits::max(), HUGE_VAL, -HUGE_VAL,
                             0x1p53,        -0x1p53,        1e15,     999999999999999,
                             std::nan("")};
  for (std::uint64_t k = 0; k < 500; ++k) {
    const double value = std::bit_cast<double>(rowhalo::mix64(k));
    if (!std::isnan(value)) values.push_back(value);
  }
  return values;
}

inline std::vector<rowhalo::DistributedCsr> file_battery() {
  std::vector<rowhalo::DistributedCsr> matrices;
  const auto add = [&](rowhalo::GlobalIndex rows, rowhalo::GlobalIndex columns,
                       std::vector<rowhalo::Entry> entries, int block = 1) {
    rowhalo::MatrixInfo info;
    info.rows = rows;
    info.columns = columns;
    info.block = block;
    matrices.push_back(dealt_out(info, entries));
  };
  add(0, 0, {});
  add(0, 5, {});
  add(3, 0, {});
  add(1, 1, {{0, 0, 2.5}});
  add(4, 9, {});
  std::vector<rowhalo::Entry> entries;
  const std::vector<double> values = awkward_values();
  for (std::size_t k = 0; k < values.size(); ++k) {
    entries.push_back({static_cast<int>(k % 31) * 2, static_cast<int>(k / 31) * 3, values[k]});
  }
  add(62, 70, entries);  // every other row empty
  entries.clear();
  for (int k = 0; k < 5000; ++k) entries.push_back({7, k, 1.0 * k});
  for (int k = 0; k < 12; ++k) entries.push_back({k, 3, -1.5 * (k + 1)});
  add(12, 5000, entries, 2);  // one heavy row, a dense column, blocks
  return matrices;
}

/// Collective. Whether the two are the same on this rank, NaNs being equal.
inline bool same_matrix(const rowhalo::DistributedCsr& a, const rowhalo::DistributedCsr& b) {
  bool same = a.info.rows == b.info.rows && a.info.columns == b.info.columns &&
              a.first_row == b.first_row && a.offsets == b.offsets && a.columns == b.columns;
  for (std::size_t k = 0; same && k < a.values.size(); ++k) {
    same = rowhalo::canonical_bits(a.values[k]) == rowhalo::canonical_bits(b.values[k]);
  }
  return same;
}

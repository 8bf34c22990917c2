// SPDX-License-Identifier: BSD-3-Clause
//
// A subset of a rank's rows, in ascending order: which rows a kernel computes.
// Rows come in groups of 32 (a warp, a slice). Where the 32 rows of a group are consecutive only
// their first is kept; slices of a grid then stay as regular as the grid. A group that is not keeps
// its rows in `indices`. 4 bytes per group instead of 128 where it matters.
#pragma once

#include <span>
#include <vector>

#include "partition/base/types.hpp"

namespace rowhalo {

/// View of a RowList, passed by value into kernels. `groups == nullptr` means all rows in order.
struct RowListView {
  static constexpr LocalIndex group_size = 32;

  LocalIndex count = 0;                 ///< rows in the list
  const LocalIndex* groups = nullptr;   ///< per group: first row, or ~(position in indices)
  const LocalIndex* indices = nullptr;  ///< the rows of the groups that are not consecutive

  /// Row at position `k` of the list, 0 <= k < count.
  constexpr LocalIndex operator[](LocalIndex k) const {
    if (groups == nullptr) return k;
    const LocalIndex group = groups[k / group_size];
    return group >= 0 ? group + k % group_size : indices[~group + k % group_size];
  }
};

/// Owner of a row list on the host.
struct RowList {
  LocalIndex count = 0;
  std::vector<LocalIndex> groups;
  std::vector<LocalIndex> indices;

  RowListView view() const { return {count, groups.data(), indices.data()}; }
};

/// The list of all rows 0 .. rows-1, without any memory.
constexpr RowListView all_rows(LocalIndex rows) {
  return {rows, nullptr, nullptr};
}

/// Compresses `rows`, which ascend.
RowList make_row_list(std::span<const LocalIndex> rows);

}  // namespace rowhalo

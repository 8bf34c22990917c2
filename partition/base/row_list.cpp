// SPDX-License-Identifier: BSD-3-Clause
//
// Builds the compressed row lists of row_list.hpp.
#include "partition/base/row_list.hpp"

#include <algorithm>

#include "partition/base/checked_cast.hpp"

namespace rowhalo {

RowList make_row_list(std::span<const LocalIndex> rows) {
  RowList list;
  list.count = checked_cast<LocalIndex>(rows.size(), "rows of a row list");
  for (std::size_t begin = 0; begin < rows.size(); begin += RowListView::group_size) {
    const auto group =
        rows.subspan(begin, std::min<std::size_t>(RowListView::group_size, rows.size() - begin));
    const bool consecutive =
        group.back() - group.front() + 1 == static_cast<LocalIndex>(group.size());
    if (consecutive) {
      list.groups.push_back(group.front());
    } else {
      list.groups.push_back(~static_cast<LocalIndex>(list.indices.size()));
      list.indices.insert(list.indices.end(), group.begin(), group.end());
    }
  }
  // An empty list must still say "no rows" rather than "all rows": its pointer may not be null.
  if (list.groups.empty()) list.groups.push_back(0);
  return list;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// All tables whose entries users name, in one form: for `rowhalo list`, its manual page and
// completion. A new table is a line in tables.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace rowhalo {

struct ComputeSite;

struct TableRow {
  std::string name, summary;
  std::string unusable;  ///< why it cannot be used at the site; empty: it can
};

struct NamedTable {
  const char* name;
  std::vector<TableRow> (*rows)(const ComputeSite& site);
};

std::span<const NamedTable> tables();

}  // namespace rowhalo

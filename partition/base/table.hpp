// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of what users name: arrays of entries with a `name` and a one-line `summary`, each in one
// file. Help, messages, documents and tests are made from them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "partition/base/errors.hpp"
#include "partition/base/spec.hpp"
#include "partition/base/suggestion.hpp"

namespace rowhalo {

/// Entry `name` of `table`, as `option` named it. Throws InputError: "OPTION NAME: unknown KIND;
/// ...", with `others`, words that stand for no single entry, among the valid names.
template <class Table>
const auto& find_entry(const Table& table, std::string_view name, std::string_view option,
                       std::string_view kind, std::vector<std::string> others = {}) {
  for (const auto& entry : table) {
    if (name == entry.name) return entry;
    others.emplace_back(entry.name);
  }
  throw InputError(fmt::format("{} {}: unknown {}{}", option, name, kind,
                               suggestion(name, others, "use " + listed(others))));
}

}  // namespace rowhalo

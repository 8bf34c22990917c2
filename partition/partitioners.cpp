// SPDX-License-Identifier: BSD-3-Clause
//
// The table of partitioners (partitioners.hpp).
#include "partition/partitioners.hpp"

#include <fmt/format.h>

#include <array>

#include "partition/partitioner_functions.hpp"

namespace rowhalo {

namespace {

constexpr std::array table{
    PartitionerEntry{"rows", "the same number of rows on every rank, in the order of the matrix",
                     nullptr, assign_rows},
    PartitionerEntry{"nnz", "contiguous rows with about the same number of nonzeros on every rank",
                     nullptr, assign_nnz},
};

}  // namespace

std::span<const PartitionerEntry> partitioners() {
  return table;
}

const PartitionerEntry& find_partitioner(std::string_view name) {
  std::vector<std::string> names;
  for (const PartitionerEntry& entry : table) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  throw InputError(
      fmt::format("--partition {}: unknown partitioner; choose {}", name, listed(names)));
}

void refuse_options(const Spec& options, const Comm& comm) {
  agree(comm, [&] {
    options.allow_only({});
    if (!options.argument().empty()) {
      options.fail(fmt::format("'{}' takes no argument; leave ':{}' out", options.name(),
                               options.argument()));
    }
  });
}

}  // namespace rowhalo

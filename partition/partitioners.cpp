// SPDX-License-Identifier: BSD-3-Clause
//
// The table of partitioners (partitioners.hpp).
#include "partition/partitioners.hpp"

#include <fmt/format.h>

#include <array>
#include <type_traits>

#include "partition/base/table.hpp"
#include "partition/partitioners/functions.hpp"

namespace rowhalo {

using Assign = decltype(PartitionerEntry::assign);
using AssignFunction = std::remove_pointer_t<Assign>;
AssignFunction assign_rows, assign_box, assign_file;

// What this build lacks has a reason in place of a function.
#ifdef ROWHALO_HAVE_METIS
AssignFunction assign_metis;
constexpr const char* metis_missing = nullptr;
#else
constexpr Assign assign_metis = nullptr;
constexpr const char* metis_missing =
    "this build has no METIS; install libmetis-dev, then configure and build again";
#endif
#ifdef ROWHALO_HAVE_PTSCOTCH
AssignFunction assign_ptscotch;
constexpr const char* ptscotch_missing = nullptr;
#else
constexpr Assign assign_ptscotch = nullptr;
constexpr const char* ptscotch_missing =
    "this build has no PT-Scotch; install libptscotch-dev, then configure and build again";
#endif

namespace {

constexpr bool automatic = true;

constexpr std::array table{
    PartitionerEntry{"rows", "the same number of rows on every rank, in the order of the matrix",
                     nullptr, assign_rows, automatic},
    PartitionerEntry{
        "nnz", "contiguous rows with about the same bytes on every rank: 12 a nonzero, 20 a row",
        nullptr, assign_nnz, automatic},
    PartitionerEntry{"metis", "graph of A + A^T cut for the least halo by METIS, on one rank",
                     metis_missing, assign_metis, automatic, nullptr, 3e-6},
    PartitionerEntry{"ptscotch", "graph of A + A^T cut by PT-Scotch, distributed over the ranks",
                     ptscotch_missing, assign_ptscotch, automatic, nullptr, 3e-6},
    PartitionerEntry{"box", "boxes as close to cubes as possible, for sources with a grid", nullptr,
                     assign_box, automatic},
    PartitionerEntry{"file", "file:PATH, a text file with one line per row: its owner", nullptr,
                     assign_file, !automatic, "PATH"},
};

}  // namespace

std::span<const PartitionerEntry> partitioners() {
  return table;
}

const PartitionerEntry& find_partitioner(std::string_view name, std::string_view option) {
  std::vector<std::string> others;
  if (option == "--partition") others = {"auto"};  // one of them (assignment.hpp)
  const PartitionerEntry& entry = find_entry(table, name, option, "partitioner", others);
  if (entry.unusable == nullptr) return entry;
  throw InputError(fmt::format("{} {}: {}", option, name, entry.unusable));
}

void expect_duration(std::string_view name, const DistributedCsr& matrix, const Comm& comm,
                     Progress& progress) {
  const std::int64_t nonzeros = sum_over_ranks(comm, matrix.local_nonzeros());
  progress.expect_seconds(find_partitioner(name).seconds_per_nonzero *
                          static_cast<double>(nonzeros));
}

void allow_keys(const Spec& options, std::initializer_list<std::string_view> keys) {
  options.allow_only(keys);
  if (options.argument().empty()) return;
  options.fail(
      fmt::format("'{}' takes no argument; leave '{}' out", options.name(), options.argument()));
}

void refuse_options(const Spec& options, const Comm& comm) {
  agree(comm, [&] { allow_keys(options, {}); });
}

}  // namespace rowhalo

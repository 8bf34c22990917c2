// SPDX-License-Identifier: BSD-3-Clause
//
// The table of partitioners: who owns each row, always in whole blocks of info.block rows.
// Adding a partitioner is one new file in partitioners/ with its function, and in partitioners.cpp
// its declaration and one line of the table.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/base/spec.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

struct PartitionerEntry {
  const char* name;
  const char* summary;   ///< one line
  const char* unusable;  ///< null, or why this build lacks it and the remedy
  /// Collective. The owner, one of `parts` (mostly as many as there are ranks), of each of this
  /// rank's rows, which are its even share; rows of one block have one owner. Throws AgreedError
  /// when the matrix does not suit.
  std::vector<int> (*assign)(const DistributedCsr& matrix, int parts, const Spec& options,
                             const Comm& comm, Progress& progress);
  bool automatic = false;          ///< may be what `auto` takes
  const char* argument = nullptr;  ///< what must stand behind the name and a colon, if anything
  /// That it was seen to take, on one core; 0: about as long as a walk over the matrix.
  double seconds_per_nonzero = 0;
};

std::span<const PartitionerEntry> partitioners();

/// Entry `name`; throws InputError listing the valid names, or telling why this build lacks it.
const PartitionerEntry& find_partitioner(std::string_view name,
                                         std::string_view option = "partition");

}  // namespace rowhalo

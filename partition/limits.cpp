// SPDX-License-Identifier: BSD-3-Clause
//
// Agreement on counts that are too large for one rank (limits.hpp).
#include "partition/limits.hpp"

#include <fmt/format.h>

namespace rowhalo {

LocalIndex agreed_local_count(const Comm& comm, std::int64_t count, const char* what,
                              std::int64_t limit) {
  agree(comm, [&] {
    if (count <= limit) return;
    throw InputError(fmt::format("rank {} would {}; a rank can have at most {}: use more ranks",
                                 comm.rank, fmt::format(fmt::runtime(what), count), limit));
  });
  return static_cast<LocalIndex>(count);
}

}  // namespace rowhalo

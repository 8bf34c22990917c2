// SPDX-License-Identifier: BSD-3-Clause
//
// What readers and writers do with all ranks: rank 0 looks at a file for all, and everyone takes an
// even share.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>

#include "partition/comm.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Collective. What `find` gives on rank 0, for all. It runs there alone, does not communicate and
/// may throw InputError. Throws AgreedError.
template <class Find>
auto found_by_root(const Comm& comm, const Find& find) {
  std::invoke_result_t<Find> found{};
  agree(comm, [&] {
    if (comm.rank == 0) found = find();
  });
  if constexpr (std::same_as<decltype(found), std::string>) {
    broadcast(comm, found);
  } else {
    static_assert(std::is_trivially_copyable_v<decltype(found)>);
    ROWHALO_MPI(MPI_Bcast(&found, sizeof found, MPI_BYTE, 0, comm.handle));
  }
  return found;
}

/// The even share of this rank: items [first, end).
struct EvenShare {
  EvenShare(const Comm& comm, GlobalIndex items, int block = 1)
      : first(even_split(items, block, comm.size, comm.rank)),
        end(even_split(items, block, comm.size, comm.rank + 1)) {}

  GlobalIndex size() const { return end - first; }

  GlobalIndex first, end;
};

}  // namespace rowhalo

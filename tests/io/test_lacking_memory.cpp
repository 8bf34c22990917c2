// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that is asked for beforehand: what one rank cannot have all know of.
#include "io/host_memory.hpp"
#include "tests/mpi.hpp"

using namespace rowhalo;

TEST_CASE("what one rank cannot have is refused on all, with its purpose", "[host_memory]") {
  const Comm comm = world();
  REQUIRE_ALL_RANKS(lacking_memory(comm, 1 << 20, "a test").empty());
  const int last = comm.size - 1;
  const std::int64_t bytes = comm.rank == last ? std::int64_t{1} << 61 : 1 << 20;
  const std::string said =
      "not enough memory for a test, which needs 2.31e+12 MB more on rank " + std::to_string(last);
  REQUIRE_ALL_RANKS(lacking_memory(comm, bytes, "a test") == said);
}

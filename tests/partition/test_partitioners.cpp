// SPDX-License-Identifier: BSD-3-Clause
//
// Every partitioner of the table on the battery: owners exist, blocks stay whole; and what `rows`
// and `nnz` promise on top.
#include "partition/partitioners.hpp"

#include <algorithm>

#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

namespace {

/// The owners of all rows, on every rank.
std::vector<int> owners_of_all(const Comm& comm, const TestMatrix& matrix,
                               const char* partitioner) {
  const DistributedCsr share = even_share(comm, matrix);
  Progress progress;
  const std::vector<int> owners =
      find_partitioner(partitioner)
          .assign(share, comm.size, Spec::parse(partitioner, "--partition"), comm, progress);
  REQUIRE_ALL_RANKS(GlobalIndex(owners.size()) == share.local_rows());
  std::vector<int> all(matrix.info.rows, 0);
  std::copy(owners.begin(), owners.end(), all.begin() + share.first_row);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), int(all.size()), MPI_INT, MPI_SUM, comm.handle);
  return all;
}

bool blocks_are_whole(const std::vector<int>& owners, int block) {
  for (std::size_t row = 0; row < owners.size(); ++row) {
    if (owners[row] != owners[row - row % block]) return false;
  }
  return true;
}

/// Rows get heavier towards the end; 100 rows, whole blocks of `block`.
TestMatrix skewed_matrix(int block) {
  return make_test_matrix(
      "skewed", 100, 100, [](auto i, auto j) { return j * j <= i * i / 2; }, block);
}

}  // namespace

TEST_CASE("partitioners give every row an owner in whole blocks", "[partitioners]") {
  const Comm comm = world();
  for (const PartitionerEntry& entry : partitioners()) {
    if (entry.unusable != nullptr) continue;
    for (const TestMatrix& matrix : test_matrices()) {
      CAPTURE(entry.name, matrix.info.source);
      const std::vector<int> owners = owners_of_all(comm, matrix, entry.name);
      REQUIRE_ALL_RANKS(std::all_of(owners.begin(), owners.end(),
                                    [&](int owner) { return owner >= 0 && owner < comm.size; }));
      REQUIRE_ALL_RANKS(blocks_are_whole(owners, matrix.info.block));
    }
  }
}

TEST_CASE("rows deals out evenly", "[partitioners]") {
  const Comm comm = world();
  for (const int block : {1, 3}) {
    const TestMatrix matrix = skewed_matrix(block);
    const std::vector<int> owners = owners_of_all(comm, matrix, "rows");
    bool right = true;
    for (GlobalIndex row = 0; row < matrix.info.rows; ++row) {
      right = right && owners[row] == even_split_owner(matrix.info.rows, block, comm.size, row);
    }
    REQUIRE_ALL_RANKS(right);
  }
}

TEST_CASE("nnz balances nonzeros to within a block, in ascending order", "[partitioners]") {
  const Comm comm = world();
  for (const int block : {1, 3}) {
    CAPTURE(block);
    const TestMatrix matrix = skewed_matrix(block);
    const DistributedCsr whole = whole_matrix(matrix);
    const std::vector<int> owners = owners_of_all(comm, matrix, "nnz");
    REQUIRE_ALL_RANKS(std::is_sorted(owners.begin(), owners.end()));

    std::vector<Offset> loads(comm.size, 0);
    Offset heaviest = 0;
    for (GlobalIndex row = 0; row < matrix.info.rows; ++row) {
      loads[owners[row]] += whole.offsets[row + 1] - whole.offsets[row];
    }
    for (GlobalIndex row = 0; row < matrix.info.rows; row += block) {
      const GlobalIndex end = std::min(row + block, matrix.info.rows);
      heaviest = std::max(heaviest, whole.offsets[end] - whole.offsets[row]);
    }
    for (const Offset load : loads) {
      const double share = double(whole.local_nonzeros()) / comm.size;
      REQUIRE_ALL_RANKS(std::abs(double(load) - share) <= double(heaviest));
    }
  }
}

TEST_CASE("nnz does as rows where there are no nonzeros", "[partitioners]") {
  const Comm comm = world();
  const auto none = [](auto, auto) { return false; };
  const TestMatrix matrix = make_test_matrix("nothing", 23, 23, none, 2);
  REQUIRE_ALL_RANKS(owners_of_all(comm, matrix, "nnz") == owners_of_all(comm, matrix, "rows"));
}

TEST_CASE("with more ranks than rows every row still has one owner", "[partitioners]") {
  const Comm comm = world();
  const TestMatrix matrix = make_test_matrix("two rows", 2, 2, [](auto, auto) { return true; });
  const std::vector<int> rows = owners_of_all(comm, matrix, "rows");
  const std::vector<int> nnz = owners_of_all(comm, matrix, "nnz");
  REQUIRE_ALL_RANKS((rows == std::vector<int>{0, comm.size == 1 ? 0 : 1}));
  REQUIRE_ALL_RANKS((nnz == std::vector<int>{comm.size / 4, 3 * comm.size / 4}));
}

TEST_CASE("unknown partitioners and options are refused", "[partitioners]") {
  CHECK_THROWS_WITH(find_partitioner("cows"),
                    "--partition cows: unknown partitioner; choose rows or nnz");
  const Comm comm = world();
  Progress progress;
  const DistributedCsr share = even_share(comm, skewed_matrix(1));
  for (const char* text : {"rows:seed=1", "rows:7", "nnz:seed=1"}) {
    const Spec spec = Spec::parse(text, "--partition");
    bool refused = false;
    try {
      find_partitioner(spec.name()).assign(share, comm.size, spec, comm, progress);
    } catch (const AgreedError& error) {
      refused = error.code() == ExitCode::usage &&
                std::string(error.what()).find(text) != std::string::npos;
    }
    REQUIRE_ALL_RANKS(refused);
  }
}

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
std::vector<int> owners_of_all(const Comm& comm, const TestMatrix& matrix, const char* partitioner,
                               int parts) {
  const DistributedCsr share = even_share(comm, matrix);
  const Spec spec = Spec::parse(partitioner, "--partition");
  Progress progress;
  const std::vector<int> owners =
      find_partitioner(spec.name()).assign(share, parts, spec, comm, progress);
  REQUIRE_ALL_RANKS(GlobalIndex(owners.size()) == share.local_rows());
  std::vector<int> all(matrix.info.rows, 0);
  std::copy(owners.begin(), owners.end(), all.begin() + share.first_row);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), int(all.size()), MPI_INT, MPI_SUM, comm.handle);
  return all;
}

std::vector<int> owners_of_all(const Comm& comm, const TestMatrix& matrix,
                               const char* partitioner) {
  return owners_of_all(comm, matrix, partitioner, comm.size);
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
    for (const TestMatrix& matrix : test_matrices()) {
      if (!suits(entry, matrix.info)) continue;
      for (const int parts : {comm.size, 1, 5, 100}) {
        CAPTURE(entry.name, matrix.info.source, parts);
        const std::vector<int> owners = owners_of_all(comm, matrix, entry.name, parts);
        REQUIRE_ALL_RANKS(std::all_of(owners.begin(), owners.end(),
                                      [&](int owner) { return owner >= 0 && owner < parts; }));
        REQUIRE_ALL_RANKS(blocks_are_whole(owners, matrix.info.block));
        REQUIRE_ALL_RANKS(owners == owners_of_all(comm, matrix, entry.name, parts));
      }
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

TEST_CASE("nnz balances work to within a block, in ascending order", "[partitioners]") {
  const Comm comm = world();
  for (const int block : {1, 3}) {
    CAPTURE(block);
    const TestMatrix matrix = skewed_matrix(block);
    const DistributedCsr whole = whole_matrix(matrix);
    const std::vector<int> owners = owners_of_all(comm, matrix, "nnz");
    REQUIRE_ALL_RANKS(std::is_sorted(owners.begin(), owners.end()));

    const auto work = [&](GlobalIndex begin, GlobalIndex end) {
      return 3 * (whole.offsets[end] - whole.offsets[begin]) + 5 * (end - begin);
    };
    std::vector<Offset> loads(comm.size, 0);
    Offset heaviest = 0;
    for (GlobalIndex row = 0; row < matrix.info.rows; row += block) {
      const GlobalIndex end = std::min(row + block, matrix.info.rows);
      loads[owners[row]] += work(row, end);
      heaviest = std::max(heaviest, work(row, end));
    }
    for (const Offset load : loads) {
      const double share = double(work(0, matrix.info.rows)) / comm.size;
      REQUIRE_ALL_RANKS(std::abs(double(load) - share) <= double(heaviest));
    }
  }
}

TEST_CASE("nnz deals out evenly where there are no nonzeros", "[partitioners]") {
  const Comm comm = world();
  const auto none = [](auto, auto) { return false; };
  const TestMatrix matrix = make_test_matrix("nothing", 23, 23, none, 2);
  const std::vector<int> owners = owners_of_all(comm, matrix, "nnz");
  for (int rank = 0; rank < comm.size; ++rank) {
    const auto rows = double(std::count(owners.begin(), owners.end(), rank));
    REQUIRE_ALL_RANKS(std::abs(rows - 23.0 / comm.size) <= 2);
  }
}

TEST_CASE("with more ranks than rows every row still has one owner", "[partitioners]") {
  const Comm comm = world();
  const TestMatrix matrix = make_test_matrix("two rows", 2, 2, [](auto, auto) { return true; });
  const std::vector<int> rows = owners_of_all(comm, matrix, "rows");
  const std::vector<int> nnz = owners_of_all(comm, matrix, "nnz");
  REQUIRE_ALL_RANKS((rows == std::vector<int>{0, comm.size == 1 ? 0 : 1}));
  REQUIRE_ALL_RANKS((nnz == std::vector<int>{comm.size / 4, 3 * comm.size / 4}));
}

/// The message with which all ranks refuse; empty where they do not.
std::string refusal(const Comm& comm, const TestMatrix& matrix, const char* partitioner,
                    int parts = 4) {
  try {
    owners_of_all(comm, matrix, partitioner, parts);
  } catch (const AgreedError& error) {
    return error.code() == ExitCode::usage ? error.what() : "not a usage error";
  }
  return {};
}

TEST_CASE("unknown partitioners and options are refused", "[partitioners]") {
  std::vector<std::string> names{"auto"};
  for (const PartitionerEntry& entry : partitioners()) names.emplace_back(entry.name);
  CHECK_THROWS_WITH(
      find_partitioner("cows", "--partition"),
      "--partition cows: unknown partitioner; did you mean rows? Use " + listed(names));
  const Comm comm = world();
  const TestMatrix grid = make_grid_matrix(3, 3, 3, 1);
  for (const char* text :
       {"rows:seed=1", "rows:7", "nnz:seed=1", "box:seed=1", "box:7", "box:weights=2", "metis:7",
        "metis:objective=halo", "metis:imbalance=0.9", "metis:seed=-1", "metis:limit=x",
        "metis:speed=1", "ptscotch:7", "ptscotch:limit=7", "ptscotch:imbalance=nan",
        "ptscotch:seed=99999999999", "file", "file:a,b=3", "file:/no/such/file"}) {
    const Spec spec = Spec::parse(text, "--partition");
    CAPTURE(text);
    const auto table = partitioners();
    const auto entry = std::find_if(table.begin(), table.end(),
                                    [&](const auto& e) { return e.name == spec.name(); });
    if (entry->unusable != nullptr) continue;
    REQUIRE_ALL_RANKS(refusal(comm, grid, text).find(text) != std::string::npos);
  }
}

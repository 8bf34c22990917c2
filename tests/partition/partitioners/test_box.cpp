// SPDX-License-Identifier: BSD-3-Clause
//
// box: the shape of the boxes shows in the halo volume, which a formula tells; where nonzeros and
// points differ, what is balanced; and the refusal without a grid.
#include <numeric>

#include "partition/quality.hpp"
#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

namespace {

PartitionQuality quality_of(const Comm& comm, const TestMatrix& matrix, const char* partitioner,
                            int parts) {
  const DistributedCsr share = even_share(comm, matrix);
  const Spec spec = Spec::parse(partitioner, "--partition");
  Progress progress;
  const std::vector<int> owners =
      find_partitioner(spec.name()).assign(share, parts, spec, comm, progress);
  return partition_quality(comm, share, owners, parts, progress);
}

}  // namespace

TEST_CASE("boxes are as near to cubes as the number of parts allows", "[box]") {
  const Comm comm = world();
  struct Case {
    GlobalIndex nx, ny, nz;
    int parts;
    std::int64_t area;  ///< of all cuts, in points; each is crossed both ways
  };
  for (const Case& test :
       {Case{8, 8, 8, 8, 3 * 64}, Case{8, 8, 8, 2, 64}, Case{6, 6, 12, 4, 72 + 36},
        Case{4, 8, 8, 4, 2 * 32}, Case{12, 12, 1, 4, 2 * 12}, Case{12, 4, 1, 3, 2 * 4},
        Case{7, 1, 1, 7, 6}, Case{1, 1, 24, 6, 5}, Case{9, 9, 9, 27, 6 * 81}}) {
    for (const int block : {1, 2}) {
      CAPTURE(test.nx, test.ny, test.nz, test.parts, block);
      const TestMatrix matrix = make_grid_matrix(test.nx, test.ny, test.nz, block);
      for (const char* text : {"box", "box:weights=rows"}) {
        const PartitionQuality quality = quality_of(comm, matrix, text, test.parts);
        REQUIRE_ALL_RANKS(quality.halo_entries == 2 * block * test.area);
        REQUIRE_ALL_RANKS(quality.row_imbalance() == 1);
      }
    }
  }
}

TEST_CASE("boxes balance nonzeros, or rows where that is asked", "[box]") {
  const Comm comm = world();
  // Three quarters of the points have one entry each.
  TestMatrix matrix = make_test_matrix("uneven", 240, 240, [](GlobalIndex i, GlobalIndex j) {
    return i == j || (i >= 180 && std::abs(i - j) < 60);
  });
  matrix.info.grid = Grid{{1, 1, 240}};
  const PartitionQuality by_rows = quality_of(comm, matrix, "box:weights=rows", 5);
  const PartitionQuality by_nonzeros = quality_of(comm, matrix, "box", 5);
  REQUIRE_ALL_RANKS(by_rows.row_imbalance() == 1);
  REQUIRE_ALL_RANKS(by_rows.imbalance() > 2);
  REQUIRE_ALL_RANKS(by_nonzeros.imbalance() < 1.2);
}

TEST_CASE("more boxes than points, and a grid without entries", "[box]") {
  const Comm comm = world();
  const PartitionQuality many = quality_of(comm, make_grid_matrix(2, 2, 1, 1), "box", 30);
  REQUIRE_ALL_RANKS(std::accumulate(many.rows.begin(), many.rows.end(), std::int64_t{0}) == 4);
  REQUIRE_ALL_RANKS(*std::max_element(many.rows.begin(), many.rows.end()) == 1);
  TestMatrix nothing = make_test_matrix("nothing", 32, 32, [](auto, auto) { return false; });
  nothing.info.grid = Grid{{4, 4, 2}};
  REQUIRE_ALL_RANKS(quality_of(comm, nothing, "box", 4).row_imbalance() == 1);
}

TEST_CASE("box refuses a matrix without a grid and names another way", "[box]") {
  const Comm comm = world();
  const TestMatrix matrix = make_test_matrix("mesh", 9, 9, [](auto i, auto j) { return i == j; });
  std::string message;
  try {
    quality_of(comm, matrix, "box", 4);
  } catch (const AgreedError& error) {
    message = error.what();
  }
  REQUIRE_ALL_RANKS(message ==
                    "--partition box: mesh has no grid (only stencils and elasticity have one, and "
                    "--shuffle and --block lose it); use metis");
}

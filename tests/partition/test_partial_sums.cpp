// SPDX-License-Identifier: BSD-3-Clause
//
// Partial sums: the same products from fewer entries sent, nothing multiplied twice or lost, and
// the case that partial_sums.hpp draws.
#include "partition/partial_sums.hpp"

#include <algorithm>
#include <cmath>

#include "partition/halo_plan.hpp"
#include "tests/partition/cases.hpp"

using namespace rowhalo;

namespace {

/// y of the rows of `matrix` and the sum of the absolute values of the terms.
struct RowSums {
  std::vector<double> y, size;
};

RowSums multiply(const LocalMatrix& matrix, const std::vector<double>& x) {
  RowSums sums{std::vector<double>(matrix.owned_rows), std::vector<double>(matrix.owned_rows)};
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      const double term = matrix.values[k] * x[matrix.indices[k]];
      sums.y[row] += term;
      sums.size[row] += std::abs(term);
    }
  }
  return sums;
}

std::vector<double> x_of(const std::vector<GlobalIndex>& numbers) {
  std::vector<double> x;
  for (const GlobalIndex number : numbers) x.push_back(1 + double(mix64(number, 3) % 1000));
  return x;
}

/// Collective. What every rank owns, as all local columns see it by `plan`.
std::vector<double> exchanged(const Comm& comm, const HaloPlan& plan, std::vector<double> owned) {
  std::vector<double> sent;
  std::vector<std::int64_t> counts(comm.size, 0), received;
  for (const LocalIndex index : plan.send_indices) sent.push_back(owned[index]);
  for (const HaloPlan::Send& send : plan.sends) counts[send.rank] = send.count;
  const std::vector<double> ghosts = exchange(comm, sent, counts, received);
  owned.insert(owned.end(), ghosts.begin(), ghosts.end());
  return owned;
}

/// Collective. y by way of the sums.
std::vector<double> product(const Comm& comm, const PartialSums& sums) {
  Progress progress;
  const HaloPlan plan = make_halo_plan(comm, sums.matrix, progress);
  const std::vector<GlobalIndex>& numbers = sums.matrix.source_columns;
  const std::vector<double> x =
      exchanged(comm, plan, x_of({numbers.begin(), numbers.begin() + plan.owned}));
  std::vector<double> y = multiply(sums.matrix, x).y;
  const std::vector<double> came = exchanged(comm, sums.plan, multiply(sums.sums, x).y);
  const std::vector<double> added = multiply(sums.added, came).y;
  for (std::size_t row = 0; row < y.size(); ++row) y[row] += added[row];
  return y;
}

bool agree(const std::vector<double>& y, const RowSums& expected) {
  for (std::size_t row = 0; row < y.size(); ++row) {
    if (!(std::abs(y[row] - expected.y[row]) <= 1e-13 * expected.size[row])) return false;
  }
  return y.size() == expected.y.size();
}

/// Ghosts that stay are ghosts of the matrix, in their order, and rows of ones take each sum once.
bool parts_are_right(const LocalMatrix& matrix, const PartialSums& sums) {
  const LocalMatrix& added = sums.added;
  std::vector<LocalIndex> taken = added.indices;
  std::ranges::sort(taken);
  for (std::size_t k = 0; k < taken.size(); ++k) {
    if (taken[k] != added.owned_columns + static_cast<LocalIndex>(k)) return false;
  }
  LocalIndex rows_with_sums = 0;
  for (LocalIndex row = 0; row < added.owned_rows; ++row) {
    rows_with_sums += added.offsets[row] < added.offsets[row + 1];
  }
  const auto rows = [](const LocalMatrix& part) {
    return part.interior.count + part.boundary.count;
  };
  return rows(sums.matrix) == matrix.owned_rows && rows(added) == matrix.owned_rows &&
         added.boundary.count == rows_with_sums && taken.size() == added.ghosts.size() &&
         added.owned_columns == sums.sums.owned_rows &&
         std::ranges::includes(matrix.ghosts, sums.matrix.ghosts) &&
         std::ranges::is_sorted(added.ghosts) &&
         std::ranges::all_of(added.values, [](double value) { return value == 1; });
}

/// Collective. The same number of rows on each rank, then cut anew.
LocalMatrix cut_from_even_share(const Comm& comm, DistributedCsr&& share) {
  Progress progress;
  const std::vector<int> owners(share.local_rows(), comm.rank);
  LocalMatrix whole = make_local_matrix(comm, std::move(share), owners, nullptr, progress);
  return cut_for_partial_sums(comm, std::move(whole), progress);
}

/// Collective. Entries that a rank multiplies, its sums' included: most of any over the mean.
double imbalance(const Comm& comm, const PartialSums& sums) {
  const std::int64_t own = sums.matrix.offsets.back() + sums.sums.offsets.back();
  const std::int64_t most = max_over_ranks(comm, own), all = sum_over_ranks(comm, own);
  return double(most) * comm.size / double(all);
}

/// Rank 0 has row 0 of six entries in the columns of rank 1, and two rows with column 4 there.
TestMatrix drawn() {
  TestMatrix matrix = make_test_matrix("drawn", 12, 12, [](auto i, auto j) {
    return i == j || (i == 0 && j >= 6) || ((i == 1 || i == 2) && j == 10);
  });
  return matrix;
}

/// Collective. Rank 0 owns the first half, rank 1 the second.
LocalMatrix in_halves(const Comm& comm, const TestMatrix& matrix) {
  Progress progress;
  DistributedCsr share = even_share(comm, matrix);
  std::vector<int> owners;
  for (GlobalIndex row = 0; row < share.local_rows(); ++row) {
    owners.push_back(share.first_row + row < matrix.info.rows / 2 ? 0 : std::min(1, comm.size - 1));
  }
  return make_local_matrix(comm, std::move(share), owners, nullptr, progress);
}

/// Few rows with many entries, few columns with many entries: hubs.
TestMatrix hubs() {
  return make_test_matrix("hubs", 200, 200, [](auto i, auto j) {
    return i == j || (i < 5 && mix64(i, j) % 2 == 0) || (j < 5 && mix64(i, j) % 2 == 0);
  });
}

}  // namespace

TEST_CASE("products by way of partial sums", "[partial_sums]") {
  const Comm comm = world();
  for_each_case(comm, [&](const LocalCase& test) {
    Progress progress;
    const LocalMatrix& matrix = test.local;
    const PartialSums sums = make_partial_sums(comm, matrix, progress);
    REQUIRE_ALL_RANKS(parts_are_right(matrix, sums));
    const RowSums expected = multiply(matrix, x_of(matrix.source_columns));
    const std::vector<double> y = product(comm, sums);
    REQUIRE_ALL_RANKS(agree(y, expected));

    const std::int64_t entries = sums.matrix.offsets.back() + sums.sums.offsets.back();
    const bool none_lost =
        sum_over_ranks(comm, entries) == sum_over_ranks(comm, matrix.offsets.back());
    REQUIRE_ALL_RANKS(none_lost);
    const std::int64_t own = sums.sums.owned_rows, wanted = std::ssize(sums.added.ghosts);
    const bool as_many = sum_over_ranks(comm, own) == sum_over_ranks(comm, wanted);
    REQUIRE_ALL_RANKS(as_many);
    REQUIRE_ALL_RANKS(sums.matrix.ghosts.size() + sums.added.ghosts.size() <= matrix.ghosts.size());

    const SumSavings savings = savings_by_sums(comm, matrix);
    const auto most = [&](const HaloPlan& plan) {
      return max_over_ranks(comm,
                            std::max<std::int64_t>(plan.ghosts, std::ssize(plan.send_indices)));
    };
    const std::int64_t without = most(make_halo_plan(comm, matrix, progress));
    const std::int64_t with = most(make_halo_plan(comm, sums.matrix, progress));
    REQUIRE_ALL_RANKS(savings.entries_without == without);
    REQUIRE_ALL_RANKS(savings.entries == with);
    const std::int64_t most_sums = most(sums.plan);
    REQUIRE_ALL_RANKS(savings.sums == most_sums);
    REQUIRE_ALL_RANKS(savings.nonzeros >= max_over_ranks(comm, sums.sums.offsets.back()));
  });
}

TEST_CASE("new values of a matrix reach the sums that other ranks compute", "[partial_sums]") {
  const Comm comm = world();
  Progress progress;
  std::vector<double> moved;
  for (const TestMatrix& test : {hubs(), drawn()}) {
    CAPTURE(test.info.source);
    LocalMatrix matrix = in_halves(comm, test);
    PartialSums sums = make_partial_sums(comm, matrix, progress);
    for (std::uint64_t step = 1; step <= 2; ++step) {
      for (std::size_t k = 0; k < matrix.values.size(); ++k) {
        matrix.values[k] = static_cast<double>(mix64(mix64(step, comm.rank), k) % 1000);
      }
      refill(comm, matrix, sums, moved);
      const PartialSums anew = make_partial_sums(comm, matrix, progress);
      REQUIRE_ALL_RANKS(sums.matrix.values == anew.matrix.values);
      REQUIRE_ALL_RANKS(sums.sums.values == anew.sums.values);
    }
  }
}

TEST_CASE("the case that is drawn: one sum and one entry of x", "[partial_sums]") {
  const Comm comm = world();
  Progress progress;
  const LocalMatrix matrix = in_halves(comm, drawn());
  const PartialSums sums = make_partial_sums(comm, matrix, progress);
  if (comm.size == 1) {
    REQUIRE(sums.matrix.ghosts.empty());
    REQUIRE(sums.sums.owned_rows == 0);
    return;
  }
  const bool first = comm.rank == 0, second = comm.rank == 1;
  REQUIRE_ALL_RANKS(savings_by_sums(comm, matrix).nonzeros == 6);
  REQUIRE_ALL_RANKS(sums.matrix.ghosts == std::vector<GlobalIndex>(first ? 1 : 0, 10));
  REQUIRE_ALL_RANKS(sums.added.ghosts == std::vector<GlobalIndex>(first ? 1 : 0, 0));
  REQUIRE_ALL_RANKS(sums.sums.owned_rows == (second ? 1 : 0));
  REQUIRE_ALL_RANKS(sums.sums.offsets.back() == (second ? 5 : 0));
  if (second) CHECK(sums.sums.indices == std::vector<LocalIndex>{0, 1, 2, 3, 5});
  REQUIRE_ALL_RANKS(sums.added.columns.starts[2] == 1);
}

TEST_CASE("rows cut anew for partial sums", "[partial_sums]") {
  const Comm comm = world();
  Progress progress;
  for (const TestMatrix& matrix : {hubs(), drawn()}) {
    CAPTURE(matrix.info.source);
    DistributedCsr share = even_share(comm, matrix);
    const std::uint64_t before = fingerprint(comm, share);
    const LocalMatrix cut = cut_from_even_share(comm, std::move(share));
    const std::uint64_t after = fingerprint(comm, cut);
    REQUIRE_ALL_RANKS(after == before);
    const PartialSums sums = make_partial_sums(comm, cut, progress);
    const double uneven = imbalance(comm, sums);
    REQUIRE_ALL_RANKS((matrix.info.source != "hubs" || uneven <= 1.35));
    const std::vector<double> y = product(comm, sums);
    REQUIRE_ALL_RANKS(agree(y, multiply(cut, x_of(cut.source_columns))));
  }
}

TEST_CASE("who computes sums for others gets fewer rows", "[partial_sums]") {
  const Comm comm = world();
  Progress progress;
  // Rank 0 owns the 8 full rows; of their entries each rank multiplies those in its columns.
  const TestMatrix matrix =
      make_test_matrix("full rows", 420, 420, [](auto i, auto j) { return i == j || i < 8; });
  const LocalMatrix cut = cut_from_even_share(comm, even_share(comm, matrix));
  const double uneven = imbalance(comm, make_partial_sums(comm, cut, progress));
  REQUIRE_ALL_RANKS(uneven <= 1.1);
}

TEST_CASE("rows of no sums stay where they are", "[partial_sums]") {
  const Comm comm = world();
  Progress progress;
  const TestMatrix matrix = make_grid_matrix(12, 1, 1, 1);
  DistributedCsr share = even_share(comm, matrix);
  const std::vector<int> owners(share.local_rows(), comm.size - 1);
  LocalMatrix local = make_local_matrix(comm, std::move(share), owners, nullptr, progress);
  const LocalIndex rows = local.owned_rows;
  const LocalMatrix cut = cut_for_partial_sums(comm, std::move(local), progress);
  REQUIRE_ALL_RANKS(cut.owned_rows == rows);
}

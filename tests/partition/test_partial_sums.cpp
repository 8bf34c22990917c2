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

/// Collective. What every rank owns, as all local columns of `matrix` see it.
std::vector<double> exchanged(const Comm& comm, const LocalMatrix& matrix,
                              std::vector<double> owned) {
  Progress progress;
  const HaloPlan plan = make_halo_plan(comm, matrix, progress);
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
  const std::vector<GlobalIndex>& numbers = sums.matrix.source_columns;
  std::vector<double> x = x_of({numbers.begin(), numbers.begin() + sums.owned_entries});
  const std::vector<double> own = multiply(sums.sums, x).y;
  x.resize(sums.matrix.owned_columns, NAN);
  std::copy(own.begin(), own.end(),
            x.begin() + std::min(sums.first_sum, sums.matrix.owned_columns));
  return multiply(sums.matrix, exchanged(comm, sums.matrix, x)).y;
}

bool agree(const std::vector<double>& y, const RowSums& expected) {
  for (std::size_t row = 0; row < y.size(); ++row) {
    if (!(std::abs(y[row] - expected.y[row]) <= 1e-13 * expected.size[row])) return false;
  }
  return y.size() == expected.y.size();
}

/// Ghosts that are entries of x are those of the matrix; no other rank is asked for anything else.
bool origins_are_right(const LocalMatrix& matrix, const PartialSums& sums) {
  for (std::size_t ghost = 0; ghost < sums.origins.size(); ++ghost) {
    const GlobalIndex source = sums.matrix.source_columns[sums.matrix.owned_columns + ghost];
    const LocalIndex origin = sums.origins[ghost];
    if (origin < 0 ? source != -1 : source != matrix.source_columns[origin]) return false;
  }
  return sums.origins.size() == sums.matrix.ghosts.size() &&
         std::is_sorted(sums.matrix.ghosts.begin(), sums.matrix.ghosts.end());
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
    REQUIRE_ALL_RANKS(origins_are_right(matrix, sums));
    REQUIRE_ALL_RANKS(sums.owned_entries == matrix.owned_columns && sums.first_sum % 32 == 0);
    const RowSums expected = multiply(matrix, x_of(matrix.source_columns));
    const std::vector<double> y = product(comm, sums);
    REQUIRE_ALL_RANKS(agree(y, expected));

    const std::int64_t own = sums.sums.owned_rows;
    const std::int64_t wanted = std::count(sums.origins.begin(), sums.origins.end(), -1);
    const std::int64_t entries = sums.matrix.offsets.back() - wanted + sums.sums.offsets.back();
    const bool none_lost =
        sum_over_ranks(comm, entries) == sum_over_ranks(comm, matrix.offsets.back());
    REQUIRE_ALL_RANKS(none_lost);
    const bool as_many = sum_over_ranks(comm, own) == sum_over_ranks(comm, wanted);
    REQUIRE_ALL_RANKS(as_many);
    REQUIRE_ALL_RANKS(sums.matrix.ghosts.size() <= matrix.ghosts.size());
    const LocalIndex crossing = sums.matrix.interior.count + sums.matrix.boundary.count;
    REQUIRE_ALL_RANKS(crossing == matrix.owned_rows);
  });
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
  REQUIRE_ALL_RANKS(sums.matrix.ghosts.size() == (first ? 2u : 0u));
  if (first) CHECK(sums.origins == std::vector<LocalIndex>{matrix.owned_columns + 4, -1});
  REQUIRE_ALL_RANKS(sums.sums.owned_rows == (second ? 1 : 0));
  REQUIRE_ALL_RANKS(sums.sums.offsets.back() == (second ? 5 : 0));
  if (second) CHECK(sums.sums.indices == std::vector<LocalIndex>{0, 1, 2, 3, 5});
  REQUIRE_ALL_RANKS(sums.matrix.columns.starts[2] == 12 + (32 - 6) + 1);
}

TEST_CASE("rows cut anew for partial sums", "[partial_sums]") {
  const Comm comm = world();
  Progress progress;
  for (const TestMatrix& matrix : {hubs(), drawn()}) {
    CAPTURE(matrix.info.source);
    DistributedCsr share = even_share(comm, matrix);
    const std::uint64_t before = fingerprint(comm, share);
    const std::vector<int> owners(share.local_rows(), comm.rank);
    LocalMatrix whole = make_local_matrix(comm, std::move(share), owners, nullptr, progress);
    const LocalMatrix cut = cut_for_partial_sums(comm, std::move(whole), progress);
    const std::uint64_t after = fingerprint(comm, cut);
    REQUIRE_ALL_RANKS(after == before);
    const PartialSums sums = make_partial_sums(comm, cut, progress);
    const std::int64_t own = sums.matrix.offsets.back() + sums.sums.offsets.back();
    const std::int64_t most = max_over_ranks(comm, own), all = sum_over_ranks(comm, own);
    if (matrix.info.source == "hubs") {
      REQUIRE_ALL_RANKS(double(most) * comm.size <= 1.35 * double(all));
    }
    const std::vector<double> y = product(comm, sums);
    REQUIRE_ALL_RANKS(agree(y, multiply(cut, x_of(cut.source_columns))));
  }
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

// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges with chunked messages and empty pieces; agreement on errors.
#include "partition/comm.hpp"

#include <optional>

#include "partition/base/hash.hpp"
#include "tests/mpi.hpp"

using namespace rowhalo;

namespace {

struct Item {
  std::int32_t from, to;
  std::int64_t position;
  bool operator==(const Item&) const = default;
};

/// Every rank sends count(from, to) items to every rank; true when all arrive in order.
template <class Count>
bool items_arrive(const Comm& comm, Count count, std::int64_t message_bytes) {
  std::vector<Item> send, expected;
  std::vector<std::int64_t> send_counts, expected_counts, received_counts;
  for (int other = 0; other < comm.size; ++other) {
    send_counts.push_back(count(comm.rank, other));
    expected_counts.push_back(count(other, comm.rank));
    for (std::int64_t k = 0; k < send_counts.back(); ++k) send.push_back({comm.rank, other, k});
    for (std::int64_t k = 0; k < expected_counts.back(); ++k) {
      expected.push_back({other, comm.rank, k});
    }
  }
  const std::vector<Item> received =
      exchange(comm, send, send_counts, received_counts, message_bytes);
  return received == expected && received_counts == expected_counts;
}

}  // namespace

TEST_CASE("exchange moves every piece, whatever the size of a message", "[comm]") {
  const Comm comm = world();
  for (const std::int64_t message_bytes : {std::int64_t{1}, std::int64_t{7}, std::int64_t{16},
                                           std::int64_t{100}, default_message_bytes}) {
    CAPTURE(message_bytes);
    const auto random = [](int from, int to) { return std::int64_t(mix64(from, to) % 20); };
    const auto sparse = [](int from, int to) {
      return std::int64_t(mix64(from, to) % 3 == 0 ? 11 : 0);
    };
    const auto self = [](int from, int to) { return std::int64_t{from == to ? 9 : 0}; };
    const auto ring = [&](int from, int to) {
      return std::int64_t{to == (from + 1) % comm.size ? 5 : 0};
    };
    const auto to_last = [&](int, int to) { return std::int64_t{to == comm.size - 1 ? 3 : 0}; };
    const auto nothing = [](int, int) { return std::int64_t{0}; };
    REQUIRE_ALL_RANKS(items_arrive(comm, random, message_bytes));
    REQUIRE_ALL_RANKS(items_arrive(comm, sparse, message_bytes));
    REQUIRE_ALL_RANKS(items_arrive(comm, self, message_bytes));
    REQUIRE_ALL_RANKS(items_arrive(comm, ring, message_bytes));
    REQUIRE_ALL_RANKS(items_arrive(comm, to_last, message_bytes));
    REQUIRE_ALL_RANKS(items_arrive(comm, nothing, message_bytes));
  }
}

TEST_CASE("sums, maxima and gathering over ranks", "[comm]") {
  const Comm comm = world();
  const std::int64_t size = comm.size;
  REQUIRE_ALL_RANKS(sum_over_ranks(comm, comm.rank + 1) == size * (size + 1) / 2);
  REQUIRE_ALL_RANKS(wrapping_sum_over_ranks(comm, ~std::uint64_t{0}) ==
                    std::uint64_t{0} - std::uint64_t(size));
  REQUIRE_ALL_RANKS(max_over_ranks(comm, std::int64_t{comm.rank}) == size - 1);
  REQUIRE_ALL_RANKS(max_over_ranks(comm, -0.5 * comm.rank) == 0);
  REQUIRE_ALL_RANKS(sum_over_lower_ranks(comm, comm.rank) ==
                    std::int64_t{comm.rank} * (comm.rank - 1) / 2);
  const std::vector<std::int64_t> all = gather_to_all(comm, 10 * comm.rank);
  REQUIRE_ALL_RANKS(all.size() == std::size_t(size) && all.back() == 10 * (size - 1));
  std::string text = comm.rank == comm.size - 1 ? "from the last" : "";
  broadcast(comm, text, comm.size - 1);
  REQUIRE_ALL_RANKS(text == "from the last");
}

namespace {

/// What agree() throws when this rank fails with `error`.
std::optional<AgreedError> agreed(const Comm& comm, const std::optional<InputError>& error) {
  try {
    agree(comm, [&] {
      if (error) throw *error;
    });
  } catch (const AgreedError& caught) {
    return caught;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("agree is silent when no rank fails", "[comm]") {
  REQUIRE_ALL_RANKS(!agreed(world(), std::nullopt));
}

TEST_CASE("agree gives the error of one rank to all", "[comm]") {
  const Comm comm = world();
  for (int bad = 0; bad < comm.size; ++bad) {
    std::optional<InputError> error;
    if (bad == comm.rank) {
      error = InputError("rank " + std::to_string(bad), INT64_MAX, ExitCode::run_time);
    }
    const auto result = agreed(comm, error);
    REQUIRE_ALL_RANKS(result && result->what() == "rank " + std::to_string(bad));
    REQUIRE_ALL_RANKS(result->code() == ExitCode::run_time);
  }
}

TEST_CASE("agree gives the lack of memory of one rank to all", "[comm]") {
  const Comm comm = world();
  for (int poor = 0; poor < comm.size; ++poor) {
    const auto result = agreed_error(comm, [&] {
      if (poor == comm.rank) throw std::bad_alloc();
    });
    REQUIRE_ALL_RANKS(result && result->code() == ExitCode::run_time);
    REQUIRE_ALL_RANKS(result->cause() == Cause::memory);
    const std::string said = "not enough memory on rank " + std::to_string(poor) + " ";
    REQUIRE_ALL_RANKS(std::string(result->what()).starts_with(said));
  }
}

TEST_CASE("what all ranks hold tells the place of an error from its reason", "[comm]") {
  const Comm comm = world();
  const bool last = comm.rank == comm.size - 1;
  const auto error = agreed_error(comm, [&] {
    if (last) throw InputError("--format a\tb", "pads: too much");
  });
  REQUIRE_ALL_RANKS(error && error->what() == std::string("--format a\\x09b: pads: too much"));
  REQUIRE_ALL_RANKS(error->reason() == "pads: too much" && error->cause() == Cause::other);
  REQUIRE_ALL_RANKS(error->code() == ExitCode::usage);
  const auto whole = agreed(comm, InputError("without a place: whole"));
  REQUIRE_ALL_RANKS(whole && whole->reason() == "without a place: whole");
}

TEST_CASE("agree reports the smallest position, then the lowest rank", "[comm]") {
  const Comm comm = world();
  const auto text = [](int rank) { return "rank " + std::to_string(rank); };
  const auto descending = agreed(comm, InputError(text(comm.rank), 100 - comm.rank));
  REQUIRE_ALL_RANKS(descending && descending->what() == text(comm.size - 1));
  REQUIRE_ALL_RANKS(descending->code() == ExitCode::usage);
  const auto equal = agreed(comm, InputError(text(comm.rank), 3));
  REQUIRE_ALL_RANKS(equal && equal->what() == text(0));
  const auto without_position = agreed(comm, InputError(text(comm.rank)));
  REQUIRE_ALL_RANKS(without_position && without_position->what() == text(0));
}

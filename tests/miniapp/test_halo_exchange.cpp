// SPDX-License-Identifier: BSD-3-Clause
//
// Transports alone: after finish() every ghost holds its owner's entry, owned entries are
// untouched, and old ghosts never survive.
#include "miniapp/choose.hpp"
#include "tests/miniapp/problem.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

/// What `vector` holds, owned entries and ghosts.
template <class T>
std::vector<T> contents(const HaloVector& vector) {
  std::vector<T> entries(static_cast<std::size_t>(vector.owned) + vector.ghosts);
  if (vector.device == Device::gpu) synchronize_device();
  copy_between(vector.device, entries.data(), vector.data, entries.size() * sizeof(T));
  return entries;
}

/// Exchanges vectors that hold the number of each entry plus a round, so that a stale ghost shows.
template <class T>
bool ghosts_are_right(const Problem& problem, const TransportEntry& transport) {
  const std::unique_ptr<HaloExchange> halo =
      transport.make({problem.plan, sizeof(T), 3, problem.comm, ComputeSite{problem.device}});
  std::optional<StreamHandle> handle;
  if (problem.device == Device::gpu) handle.emplace();
  const Stream stream = handle ? handle->stream() : Stream{};
  std::vector<HaloVector> vectors;
  for (int k = 0; k < 3; ++k) vectors.push_back(halo->make_vector());
  bool right = true;
  for (int round = 0; round < 9; ++round) {
    const HaloVector& vector = vectors[round % 3];
    const auto expected = [&](LocalIndex column) {
      return static_cast<T>(problem.matrix.source_columns[column] + 1000 * round);
    };
    std::vector<T> x;
    for (LocalIndex column = 0; column < problem.matrix.owned_columns; ++column) {
      x.push_back(expected(column));
    }
    copy_between(vector.device, vector.data, x.data(), x.size() * sizeof(T));
    set_bytes(vector.device, vector.ghost_data(), 0xff, vector.ghosts * sizeof(T));
    halo->begin(vector, stream);
    halo->finish(vector, stream);
    const std::vector<T> found = contents<T>(vector);
    for (LocalIndex column = 0; column < problem.matrix.local_columns(); ++column) {
      right = right && found[column] == expected(column);
    }
  }
  halo->close();
  return right;
}

}  // namespace

TEST_CASE("every transport fills every ghost") {
  for (const TransportVariant& transport : usable_transports(test_site(), false)) {
    const bool nccl = std::string(transport.entry->name) == "nccl";
    for (const std::string& text : matrices) {
      // A communicator of NCCL takes a second to make.
      if (nccl && text != matrices[1] && text != matrices[2] && text != matrices[7]) continue;
      INFO(transport.entry->name << ", " << text);
      const Problem plain(text, "rows", {}, Precision::fp64, 1, 0);
      REQUIRE_ALL_RANKS(ghosts_are_right<double>(plain, *transport.entry));
      const Problem scattered(text, "nnz", 3, Precision::fp32, 1, 0);
      REQUIRE_ALL_RANKS(ghosts_are_right<float>(scattered, *transport.entry));
    }
  }
}

TEST_CASE("a transport gives out no more vectors than it was made for") {
  const Problem problem("stencil5:4", "rows", {}, Precision::fp64, 1, 0);
  for (const TransportVariant& transport : usable_transports(test_site(), false)) {
    const std::unique_ptr<HaloExchange> halo = transport.entry->make(
        {problem.plan, sizeof(double), 1, problem.comm, ComputeSite{problem.device}});
    const HaloVector x = halo->make_vector();
    CHECK(reinterpret_cast<std::uintptr_t>(x.data) % 64 == 0);
    CHECK(x.owned == problem.plan.owned);
    CHECK(x.ghosts == problem.plan.ghosts);
    CHECK_THROWS_AS(halo->make_vector(), std::logic_error);
    halo->close();
  }
}

TEST_CASE("a transport that cannot serve says why") {
  const TransportEntry& nccl = find_transport("nccl");
  CHECK_FALSE(nccl.unusable({Device::cpu, false}).empty());
  CHECK_FALSE(nccl.unusable({Device::gpu, true}).empty());
  CHECK(find_transport("mpi").unusable({Device::cpu, false}).empty());
  CHECK(find_transport("mpi").unusable({Device::gpu, true}).empty());
  CHECK_THROWS_AS(find_transport("pigeon"), InputError);
}

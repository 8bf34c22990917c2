// SPDX-License-Identifier: BSD-3-Clause
//
// Every transport of the table alone (halo.hpp), and what transports refuse.
#include "tests/miniapp/halo.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

TEST_CASE("every transport fills every ghost") {
  for (const TransportEntry& transport : transports()) {
    const std::optional<ComputeSite> site = site_for(transport);
    if (!site) {
      if (world().rank == 0) {
        WARN(transport.name << " is not tested: " << transport.unusable(test_site()));
      }
      continue;
    }
    Connections connections;
    for (const std::string& text : matrices) {
      INFO(transport.name << ", " << text);
      const Problem plain(text, "rows", {}, Precision::fp64, 1, 0);
      REQUIRE_ALL_RANKS(ghosts_are_right<double>(plain, transport, *site, 0, &connections));
      const Connection* connected = connections.nccl.get();
      const Problem scattered(text, "nnz", 3, Precision::fp32, 1, 0);
      REQUIRE_ALL_RANKS(ghosts_are_right<float>(scattered, transport, *site, 0, &connections));
      REQUIRE_ALL_RANKS(
          ghosts_are_right<std::uint16_t>(scattered, transport, *site, 0, &connections));
      REQUIRE_ALL_RANKS(connections.nccl.get() == connected);
      REQUIRE_ALL_RANKS(connected != nullptr || std::string(transport.name) != "nccl");
    }
    connections.close();
    REQUIRE_ALL_RANKS(connections.nccl == nullptr);
  }
}

TEST_CASE("several vectors travel in one exchange", "[short]") {
  // Words of 2 to 16 bytes, one or more of them an element. The second matrix has messages so long
  // that p2p sends chunks.
  const Problem plain("stencil27:5", "rows", {}, Precision::fp64, 1, 0);
  const Problem scattered("stencil27:5", "nnz", 3, Precision::fp64, 1, 0);
  const Problem with_long("stencil7:nx=80,ny=80,nz=4", "rows", {}, Precision::fp64, 1, 0);
  for (const TransportEntry& transport : transports()) {
    const std::optional<ComputeSite> site = site_for(transport);
    if (!site) continue;
    Connections connections;
    const auto arrive = [&]<class T>(T, const Problem& of, int vectors) {
      INFO(transport.name << ", " << vectors << " vectors of " << sizeof(T) << " bytes");
      REQUIRE_ALL_RANKS(ghosts_are_right<T>(of, transport, *site, 0, &connections, vectors));
    };
    for (const int vectors : {2, 3, 32}) arrive(double{}, plain, vectors);
    for (const int vectors : {2, 7}) arrive(float{}, scattered, vectors);
    for (const int vectors : {3, 8}) arrive(std::uint16_t{}, scattered, vectors);
    arrive(double{}, with_long, 7);
    arrive(float{}, with_long, 8);
    connections.close();
  }
}

TEST_CASE("counters of exchanges may wrap", "[short]") {
  constexpr std::uint32_t nearly_all = 0xfffffffd;  // 2^32 - 3
  // A small message and one of 160000 entries: p2p has a protocol for each, and here thread blocks
  // that send several chunks.
  for (const char* text : {"stencil27:5", "stencil7:nx=400,ny=400,nz=4"}) {
    const Problem problem(text, "rows", {}, Precision::fp64, 1, 0);
    for (const TransportEntry& transport : transports()) {
      const std::optional<ComputeSite> site = site_for(transport);
      if (!site) continue;
      INFO(transport.name << ", " << text);
      REQUIRE_ALL_RANKS(ghosts_are_right<double>(problem, transport, *site, nearly_all));
    }
  }
}

TEST_CASE("a transport gives out no more vectors than it was made for") {
  const Problem problem("stencil5:4", "rows", {}, Precision::fp64, 1, 0);
  for (const TransportEntry& transport : transports()) {
    const std::optional<ComputeSite> site = site_for(transport);
    if (!site) continue;
    const std::unique_ptr<HaloExchange> halo =
        transport.make({problem.plan, NumberType::fp64, 1, problem.comm, *site});
    const HaloVector x = halo->make_vector();
    CHECK(reinterpret_cast<std::uintptr_t>(x.data) % 64 == 0);
    CHECK(x.owned == problem.plan.owned);
    CHECK(x.ghosts == problem.plan.ghosts);
    CHECK_THROWS_AS(halo->make_vector(), std::logic_error);
    halo->close();
  }
}

TEST_CASE("two vectors lie where they are read fastest, and are exchanged there") {
  // Among the first places, on which the others depend, and not, other ones on each rank.
  const std::size_t fastest[] = {3 - std::size_t(world().rank) % 2, 21};
  for (const char* text :
       {"stencil27:5", "stencil7:nx=400,ny=400,nz=4"}) {  // both protocols of p2p
    const Problem problem(text, "rows", {}, Precision::fp64, 1, 0);
    for (const TransportEntry& transport : transports()) {
      const std::optional<ComputeSite> site = site_for(transport);
      if (!site) continue;
      INFO(transport.name << ", " << text);
      std::vector<std::byte*> tried;
      TransportContext context{problem.plan, NumberType::fp64, 2, problem.comm, *site};
      context.reading_seconds = [&](std::byte* x) {
        const std::size_t vector = tried.size() / 32, place = tried.size() % 32;
        tried.push_back(x);
        return place == fastest[vector % 2] ? 0.98 : place % 4 == 1 ? 1.0 : 0.99;
      };
      const std::unique_ptr<HaloExchange> halo = transport.make(context);
      const std::vector<HaloVector> vectors{halo->make_vector(), halo->make_vector()};
      REQUIRE_ALL_RANKS(tried.size() == 64);
      CHECK(vectors[0].data == tried[fastest[0]]);
      CHECK(vectors[1].data == tried[32 + fastest[1]]);
      REQUIRE_ALL_RANKS(ghosts_are_right<double>(problem, *halo, vectors));
      halo->close();
    }
  }
}

TEST_CASE("places that are alike are few") {
  const Problem problem("stencil5:4", "rows", {}, Precision::fp64, 1, 0);
  const TransportEntry& transport = find_transport("mpi");
  int tried = 0;
  TransportContext context{problem.plan, NumberType::fp64, 2, problem.comm, *site_for(transport)};
  context.reading_seconds = [&](std::byte*) { return ++tried % 2 == 0 ? 1.0 : 1.005; };
  const std::unique_ptr<HaloExchange> halo = transport.make(context);
  CHECK(tried == 2 * 4);
  halo->close();
}

TEST_CASE("a transport that cannot serve says why") {
  const TransportEntry& nccl = find_transport("nccl");
  CHECK_FALSE(nccl.unusable({Device::cpu, false}).empty());
  CHECK_FALSE(nccl.unusable({Device::gpu, true}).empty());
  CHECK(find_transport("mpi").unusable({Device::cpu, false}).empty());
  CHECK(find_transport("mpi").unusable({Device::gpu, true}).empty());
  CHECK(find_transport("mpi-neighbor").unusable({Device::gpu, true}).empty());
  const TransportEntry& mpi_cuda = find_transport("mpi-cuda");
  CHECK_FALSE(mpi_cuda.unusable({Device::cpu, false}).empty());
  CHECK_FALSE(mpi_cuda.unusable({Device::gpu, false}).empty());
  const TransportEntry& node_aware = find_transport("node-aware");
  CHECK(node_aware.unusable({Device::cpu, false}).find("one node") != std::string::npos);
  CHECK(node_aware.unusable({Device::gpu, false, emulated_nodes(4, 2)}).empty());
  CHECK_THROWS_AS(find_transport("pigeon"), InputError);
}

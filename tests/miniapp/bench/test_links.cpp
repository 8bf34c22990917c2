// SPDX-License-Identifier: BSD-3-Clause
//
// What is measured of links: every usable transport, on every kind of pair that there is.
#include "miniapp/bench/network.hpp"

#include <set>

#include "miniapp/tune/choose.hpp"
#include "tests/miniapp/problem.hpp"

using namespace rowhalo;

namespace {

std::vector<LinkReport> links_of(int ranks_per_node) {
  const Comm comm = world();
  Progress progress;
  DeviceClock clock;
  const Measuring measuring{comm, clock, progress};
  ComputeSite site = test::test_site();
  site.nodes = emulated_nodes(comm.size, ranks_per_node);
  std::vector<UnmeasuredLink> left_out;
  const std::vector<LinkReport> links =
      measure_links({measuring, site, {}, "same node", false}, left_out);
  REQUIRE_ALL_RANKS(left_out.empty());
  return links;
}

}  // namespace

TEST_CASE("Links inside nodes and between them are measured", "[links]") {
  const Comm comm = world();
  const int ranks_per_node = 2;
  const std::vector<LinkReport> links = links_of(ranks_per_node);
  ComputeSite site = test::test_site();
  site.nodes = emulated_nodes(comm.size, ranks_per_node);
  const std::size_t usable = usable_transports(site, false).size();
  const std::size_t kinds = comm.size == 1 ? 0 : comm.size == 2 ? 1 : 2;
  std::set<std::string> between;
  for (const LinkReport& link : links) {
    between.insert(link.between);
    const bool inside = link.between == "same node";
    // Of 7 ranks in pairs the last has none; nodes {0, 1} and {2, 3}, {4, 5} and {6} pair up.
    const int pairs = inside ? comm.size / 2 : comm.size == 3 ? 1 : comm.size == 4 ? 2 : 3;
    REQUIRE_ALL_RANKS(link.ranks == 2 * pairs);
    REQUIRE_ALL_RANKS(link.points.size() == 6);
    REQUIRE_ALL_RANKS(link.points.front().bytes == 8);
    REQUIRE_ALL_RANKS(link.lone_seconds.has_value() == (pairs > 1));
    // A rank of a node of two has one neighbour inside, and two on the next node of two.
    REQUIRE_ALL_RANKS(link.message_seconds.has_value() == (!inside && comm.size > 3));
    for (const ExchangePoint& point : link.points) REQUIRE_ALL_RANKS(point.seconds > 0);
    REQUIRE_ALL_RANKS(link.points.back().bytes > link.points.front().bytes);
  }
  REQUIRE_ALL_RANKS(between.size() == kinds);
  REQUIRE_ALL_RANKS(links.size() == kinds * usable);
}

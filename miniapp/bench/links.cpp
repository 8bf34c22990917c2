// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges on plans that are made up (links.hpp).
#include "miniapp/bench/links.hpp"

#include <algorithm>
#include <numeric>

#include "miniapp/tune/choose.hpp"

namespace rowhalo {

namespace {

constexpr NumberType entry_type = NumberType::fp64;
constexpr LocalIndex message_entries[] = {1, 128, 1024, 8192, 65536, 524288};
constexpr const char* other_node_text = "other node";
constexpr int most_neighbors = 26;  // those of a box in a 27-point stencil

/// Who exchanges with whom: for every rank its neighbours, ascending.
using Pattern = std::vector<std::vector<int>>;

int ranks_in(const Pattern& pattern) {
  return static_cast<int>(std::count_if(pattern.begin(), pattern.end(),
                                        [](const auto& list) { return !list.empty(); }));
}
int most_neighbors_in(const Pattern& pattern) {
  return static_cast<int>(std::ranges::max(pattern, {}, &std::vector<int>::size).size());
}

void pair_up(Pattern& pattern, int a, int b) {
  pattern[a].push_back(b);
  pattern[b].push_back(a);
}

/// The ranks between which a link lies: for each group of them the two sides, which are the same
/// ranks inside a node.
struct Sides {
  std::vector<int> near, far;
};

std::vector<Sides> sides_of(const NodeMap& nodes, bool inside) {
  const std::vector<std::vector<int>> members = ranks_of_nodes(nodes);
  std::vector<Sides> sides;
  for (std::size_t node = 0; node < members.size(); ++node) {
    if (inside) sides.push_back({members[node], members[node]});
    if (!inside && node % 2 == 1) sides.push_back({members[node - 1], members[node]});
  }
  return sides;
}

/// Every rank with one other; `lone`: only the first two.
Pattern pairs(const std::vector<Sides>& sides, bool inside, int ranks, bool lone) {
  Pattern pattern(ranks);
  for (const Sides& side : sides) {
    const std::size_t count = std::min(side.near.size(), side.far.size());
    const std::size_t step = inside ? 2 : 1;
    for (std::size_t k = 0; k + step <= count; k += step) {
      pair_up(pattern, side.near[k], side.far[k + step - 1]);
      if (lone) return pattern;
    }
  }
  return pattern;
}

/// Every rank with as many others as there are, up to the most that a box has.
Pattern crowds(const std::vector<Sides>& sides, bool inside, int ranks) {
  Pattern pattern(ranks);
  for (const Sides& side : sides) {
    const int count = static_cast<int>(std::min(side.near.size(), side.far.size()));
    for (int a = 0; a < count; ++a) {
      for (int b = inside ? a + 1 : 0; b < count; ++b) {
        const int distance = std::min((b - a + count) % count, (a - b + count) % count);
        if (2 * distance <= most_neighbors) pair_up(pattern, side.near[a], side.far[b]);
      }
    }
  }
  for (auto& list : pattern) std::sort(list.begin(), list.end());
  return pattern;
}

/// `entries` to and from each neighbour.
HaloPlan plan_of(const Pattern& pattern, int rank, LocalIndex entries) {
  HaloPlan plan;
  plan.owned = entries;
  plan.send_indices.resize(entries);
  std::iota(plan.send_indices.begin(), plan.send_indices.end(), 0);
  for (const int other : pattern[rank]) {
    const std::vector<int>& back = pattern[other];
    const auto place = std::find(back.begin(), back.end(), rank) - back.begin();
    plan.sends.push_back({other, 0, entries, static_cast<LocalIndex>(place) * entries});
    plan.receives.push_back({other, plan.ghosts, entries});
    plan.ghosts += entries;
  }
  return plan;
}

/// Collective. Seconds of an exchange, the shortest of several series. Throws AgreedError where the
/// transport cannot be made, StopRequest before it is.
double time_exchange(const LinkSetting& setting, const TransportVariant& variant,
                     const HaloPlan& plan) {
  constexpr double series_seconds = 2e-3;
  constexpr int vectors = 2;
  const Comm& comm = setting.measuring.comm;
  leave_if_requested(comm, setting.measuring.progress);
  const auto halo = variant.entry->make({plan, entry_type, vectors, comm, setting.site});
  HaloVector x[vectors];
  for (HaloVector& vector : x) {
    vector = halo->make_vector();
    set_bytes(vector.device, vector.data, 0x3f,
              static_cast<std::size_t>(vector.owned) * vector.element_bytes());
  }
  double seconds = 0;
  {
    const auto exchange = [&](std::int64_t k) { halo->exchange(x[k % vectors], setting.stream); };
    const auto check = [&] { halo->check(); };
    ProductSequence sequence =
        variant.graph ? ProductSequence(exchange, setting.stream, products_per_graph, check)
                      : ProductSequence(exchange, check);
    seconds = shortest_seconds(setting.measuring, series_seconds, sequence);
  }
  halo->close();
  setting.measuring.progress.tick();
  return seconds;
}

/// Collective.
LinkReport measure_link(const LinkSetting& setting, const TransportVariant& variant, bool inside) {
  const Comm& comm = setting.measuring.comm;
  const std::vector<Sides> sides = sides_of(setting.site.nodes, inside);
  const Pattern all = pairs(sides, inside, comm.size, false);
  const auto time = [&](const Pattern& pattern, LocalIndex entries) {
    return time_exchange(setting, variant, plan_of(pattern, comm.rank, entries));
  };
  LinkReport link;
  link.between = inside ? setting.inside : other_node_text;
  link.transport = variant.entry->name;
  link.graph = variant.graph;
  link.ranks = ranks_in(all);
  for (const LocalIndex entries : message_entries) {
    const auto bytes = static_cast<std::int64_t>(entries) * static_cast<int>(bytes_of(entry_type));
    link.points.push_back({bytes, time(all, entries)});
  }
  if (link.ranks > 2) {
    const Pattern lone = pairs(sides, inside, comm.size, true);
    link.lone_seconds = time(lone, message_entries[std::size(message_entries) - 1]);
  }
  const Pattern crowd = crowds(sides, inside, comm.size);
  const int further = most_neighbors_in(crowd) - 1;
  if (further > 0) {
    const double seconds = time(crowd, 1) - link.points.front().seconds;
    link.message_seconds = std::max(0.0, seconds / further);
  }
  return link;
}

}  // namespace

std::vector<LinkReport> measure_links(const LinkSetting& setting,
                                      std::vector<UnmeasuredLink>& left_out) {
  setting.measuring.progress.phase("measure: links");
  std::vector<LinkReport> links;
  for (const bool inside : {true, false}) {
    const int ranks = setting.measuring.comm.size;
    if (ranks_in(pairs(sides_of(setting.site.nodes, inside), inside, ranks, false)) == 0) continue;
    for (const TransportVariant& variant : usable_transports(setting.site, setting.graphs)) {
      try {
        links.push_back(measure_link(setting, variant, inside));
      } catch (const AgreedError& refusal) {
        left_out.push_back({inside ? setting.inside : other_node_text, variant.entry->name,
                            variant.graph, refusal.what()});
      } catch (const StopRequest&) {
        return links;
      }
    }
  }
  return links;
}

}  // namespace rowhalo

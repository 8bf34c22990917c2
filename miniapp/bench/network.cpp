// SPDX-License-Identifier: BSD-3-Clause
//
// Reading arrays, and exchanges on plans that are made up (network.hpp).
#include "miniapp/bench/network.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>

#include "kernels/gpu/device/bandwidth.hpp"
#include "miniapp/bench/batches.hpp"
#include "miniapp/tune/choose.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t kibibyte = 1024, mebibyte = 1024 * kibibyte;
constexpr std::int64_t host_sizes[] = {64 * kibibyte, 512 * kibibyte, 2 * mebibyte,
                                       8 * mebibyte,  32 * mebibyte,  128 * mebibyte};
constexpr std::int64_t gpu_sizes[] = {2 * mebibyte,  8 * mebibyte,   24 * mebibyte,
                                      64 * mebibyte, 256 * mebibyte, 1024 * mebibyte};
constexpr int repeats = 5;

/// Sums of integers, which compilers vectorise in any order, unlike those of reals; in four
/// streams, so that prefetchers have what products give them.
class HostReading {
 public:
  explicit HostReading(std::int64_t bytes)
      : size_(bytes / static_cast<std::int64_t>(sizeof(std::uint64_t))),
        numbers_(std::make_unique_for_overwrite<std::uint64_t[]>(static_cast<std::size_t>(size_))) {
    const std::int64_t quarter = size_ / 4;
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < quarter; ++k) {  // pages lie with the thread that reads them
      for (int stream = 0; stream < 4; ++stream) {
        numbers_[k + stream * quarter] = static_cast<std::uint64_t>(k);
      }
    }
  }

  /// Of one reading.
  double seconds() {
    constexpr std::int64_t timed_bytes = 128 * mebibyte;
    const auto bytes = size_ * static_cast<std::int64_t>(sizeof(std::uint64_t));
    const std::int64_t rounds = std::max<std::int64_t>(1, timed_bytes / bytes);
    const auto start = std::chrono::steady_clock::now();
    sum_ = sum(rounds);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return elapsed.count() / static_cast<double>(rounds);
  }

 private:
  std::uint64_t sum(std::int64_t rounds) const {
    std::uint64_t sum = 0;
    const std::int64_t quarter = size_ / 4;
#pragma omp parallel reduction(+ : sum)
    for (std::int64_t round = 0; round < rounds; ++round) {
      const std::uint64_t* numbers = numbers_.get();
      asm volatile("" : "+r"(numbers) : : "memory");  // read again, whatever was read before
#pragma omp for schedule(static) nowait
      for (std::int64_t k = 0; k < quarter; ++k) {
        sum +=
            numbers[k] + numbers[k + quarter] + numbers[k + 2 * quarter] + numbers[k + 3 * quarter];
      }
    }
    return sum;
  }

  std::int64_t size_;
  std::unique_ptr<std::uint64_t[]> numbers_;
  volatile std::uint64_t sum_ = 0;  ///< so that the loads stay
};

/// Collective: `read` is called together, by all ranks or by rank 0.
template <class Read>
double slowest(const Comm& comm, bool takes_part, const Read& read) {
  std::vector<double> seconds;
  for (int k = 0; k <= repeats; ++k) {
    ROWHALO_MPI(MPI_Barrier(comm.handle));
    const double one = max_over_ranks(comm, takes_part ? read() : 0.0);
    if (k > 0) seconds.push_back(one);  // the first warms up
  }
  return median(std::move(seconds));
}

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

/// Pairs rank a of one side with rank b of the other wherever connects(a, b, ranks of a side).
template <class Connects>
Pattern pattern_of(const NodeMap& nodes, bool inside, const Connects& connects) {
  Pattern pattern(nodes.node_of.size());
  for (const auto& [near, far] : sides_of(nodes, inside)) {
    const auto count = static_cast<int>(std::min(near.size(), far.size()));
    for (int a = 0; a < count; ++a) {
      for (int b = inside ? a + 1 : 0; b < count; ++b) {
        if (!connects(a, b, count)) continue;
        pattern[near[a]].push_back(far[b]);
        pattern[far[b]].push_back(near[a]);
      }
    }
  }
  for (auto& list : pattern) std::ranges::sort(list);
  return pattern;
}

/// Every rank with one other.
Pattern pairs(const NodeMap& nodes, bool inside) {
  return pattern_of(nodes, inside, [inside](int a, int b, int) {
    return inside ? a % 2 == 0 && b == a + 1 : a == b;
  });
}

/// The first of them.
Pattern first_of(const Pattern& pairs) {
  Pattern lone(pairs.size());
  const auto first = std::ranges::find_if(pairs, [](const auto& list) { return !list.empty(); });
  const int rank = static_cast<int>(first - pairs.begin()), other = first->front();
  lone[rank] = {other};
  lone[other] = {rank};
  return lone;
}

/// Every rank with as many others as there are, up to the most that a box has.
Pattern crowds(const NodeMap& nodes, bool inside) {
  return pattern_of(nodes, inside, [](int a, int b, int count) {
    return 2 * std::min((b - a + count) % count, (a - b + count) % count) <= most_neighbors;
  });
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
    ProductSequence sequence(exchange, setting.stream, variant.graph ? products_per_graph : 1,
                             check);
    seconds = shortest_seconds(setting.measuring, series_seconds, sequence);
  }
  halo->close();
  setting.measuring.progress.tick();
  return seconds;
}

/// Collective.
LinkReport measure_link(const LinkSetting& setting, const TransportVariant& variant, bool inside) {
  const Comm& comm = setting.measuring.comm;
  const Pattern all = pairs(setting.site.nodes, inside);
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
    link.lone_seconds = time(first_of(all), std::end(message_entries)[-1]);
  }
  const Pattern crowd = crowds(setting.site.nodes, inside);
  const int further = most_neighbors_in(crowd) - 1;
  if (further > 0) {
    const double seconds = time(crowd, 1) - link.points.front().seconds;
    link.message_seconds = std::max(0.0, seconds / further);
  }
  return link;
}

}  // namespace

std::vector<ReadPoint> measure_reading(const Comm& comm, Device device, Progress& progress) {
  progress.phase("measure: reading");
  const bool gpu = device == Device::gpu;
  std::vector<ReadPoint> points;
  for (const std::int64_t bytes : gpu ? gpu_sizes : host_sizes) {
    std::optional<HostReading> host;
    if (!gpu) host.emplace(bytes);
    const auto read = [&] { return gpu ? rowhalo::measure_reading(bytes) : host->seconds(); };
    points.push_back({bytes, slowest(comm, true, read), slowest(comm, comm.rank == 0, read)});
    leave_if_requested(comm, progress);
  }
  return points;
}

std::vector<LinkReport> measure_links(const LinkSetting& setting,
                                      std::vector<UnmeasuredLink>& left_out) {
  setting.measuring.progress.phase("measure: links");
  std::vector<LinkReport> links;
  for (const bool inside : {true, false}) {
    if (ranks_in(pairs(setting.site.nodes, inside)) == 0) continue;
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

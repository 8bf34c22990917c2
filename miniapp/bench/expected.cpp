// SPDX-License-Identifier: BSD-3-Clause
//
// The model (expected.hpp).
#include "miniapp/bench/expected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rowhalo {

namespace {

constexpr const char* other_node = "other node";

/// A GPU: read bandwidth 4.5e12 of an H200, 3.3e12 of an H100; NVLink 3.7e11 measured between two
/// of them, 5 us per message from plain calls; a 400 Gb/s adapter for each GPU between nodes.
constexpr double gpu_memory = 3.5e12;
constexpr Link gpu_inside{3.7e11, 5e-6}, gpu_between{4e10, 1.5e-5};

/// A node with CPUs: two sockets of 8 to 12 channels of DDR5, that its ranks share but one of which
/// alone cannot take more than about 1.2e10 of; messages through shared memory; one 200 Gb/s
/// adapter for all.
constexpr double node_memory = 4e11, core_memory = 1.2e10;
constexpr Link cpu_inside{5e9, 1e-6};
constexpr Link cpu_adapter{2.5e10, 2e-6};

/// The points around `bytes`; beyond the first and the last these twice.
template <class Point>
std::pair<const Point&, const Point&> around(const std::vector<Point>& points, double bytes) {
  const auto after = std::ranges::find_if(
      points, [&](const Point& point) { return bytes <= static_cast<double>(point.bytes); });
  if (after == points.end()) return {points.back(), points.back()};
  return {after == points.begin() ? *after : *(after - 1), *after};
}

/// Seconds at `bytes` on the line through the points around it; in proportion beyond the last.
double interpolated(const std::vector<ExchangePoint>& points, double bytes) {
  const auto [before, after] = around(points, bytes);
  const auto first = static_cast<double>(before.bytes), last = static_cast<double>(after.bytes);
  if (first == last) return before.seconds * std::max(1.0, bytes / first);
  return std::lerp(before.seconds, after.seconds, (bytes - first) / (last - first));
}

bool has(const NetworkReport& machine, bool inside) {
  return std::ranges::any_of(machine.links, [&](const LinkReport& link) {
    return (link.between != other_node) == inside;
  });
}

/// The link between nodes of the same transport; null: not measured.
const LinkReport* between_nodes(const NetworkReport& machine, const LinkReport& link) {
  const auto found = std::ranges::find_if(machine.links, [&](const LinkReport& other) {
    return other.between == other_node && other.transport == link.transport &&
           other.graph == link.graph;
  });
  return found == machine.links.end() ? nullptr : &*found;
}

/// What is called by itself takes a launch at least.
double call_seconds(const MachineModel& model) {
  const double launch = model.graphs ? 0 : model.machine.launch_seconds.value_or(0);
  return std::max(model.machine.product.call_seconds, launch);
}

/// What a plan for other nodes than those that measured relies on; empty: they are alike.
std::string other_nodes(const MachineModel& model) {
  const double measured = measured_ranks_per_node(model.machine);
  if (model.machine.device == "gpu" || model.ranks_per_node <= measured) return {};
  return fmt::format(
      "measured with {:.3g} ranks per node: {:.3g} are taken to share what these had", measured,
      model.ranks_per_node);
}

/// Of a rank whose product moves so many bytes. The ranks of a node share what those that measured
/// had together; GPUs have memory of their own.
double bandwidth(const MachineModel& model, double bytes, bool alone) {
  const auto rate = [&](double ReadPoint::*seconds) {
    const auto [before, after] = around(model.machine.reading, bytes);
    const auto first = static_cast<double>(before.bytes), last = static_cast<double>(after.bytes);
    const double of_first = first / (before.*seconds), of_last = last / (after.*seconds);
    if (first == last) return of_first;
    return std::lerp(of_first, of_last, std::log(bytes / first) / std::log(last / first));
  };
  const double lone = rate(&ReadPoint::lone_seconds), together = rate(&ReadPoint::seconds);
  if (model.machine.device == "gpu") return together;
  if (alone) return lone;
  const double measured = measured_ranks_per_node(model.machine);
  return std::min(lone, together * measured / model.ranks_per_node);
}

/// Seconds of the messages inside nodes, or between them.
double side_seconds(const MachineModel& model, const LinkReport* link, const NodeTraffic& sent,
                    const NodeTraffic& received, int entry_bytes, bool inside) {
  const auto messages = static_cast<double>(std::max(sent.messages, received.messages));
  const double bytes = static_cast<double>(entry_bytes) *
                       static_cast<double>(std::max(sent.entries, received.entries));
  if (messages == 0) return 0;
  if (link == nullptr) {
    const Link& assumed = inside ? model.assumed.inside : model.assumed.between;
    return messages * assumed.latency_seconds + bytes / assumed.bytes_per_second;
  }
  const ExchangePoint& shortest = link->points.front();
  const ExchangePoint& longest = link->points.back();
  double slower = 1;
  if (!(inside && model.machine.device == "gpu")) {
    // A rank's share of its node's rate, which those that measured had all at once.
    const double rate = static_cast<double>(longest.bytes) / longest.seconds;
    const double lone =
        static_cast<double>(longest.bytes) / link->lone_seconds.value_or(longest.seconds);
    const double measured = measured_ranks_per_node(model.machine);
    slower = rate / std::min(lone, rate * measured / model.ranks_per_node);
  }
  const double transfer = std::max(0.0, interpolated(link->points, bytes) - shortest.seconds);
  const double further = link->message_seconds.value_or(shortest.seconds);
  return shortest.seconds + (messages - 1) * further + slower * transfer;
}

std::string assumption(const Link& link, const char* where, const std::string& file) {
  return fmt::format("links {} are not in {}: assumed {:.3g} GB/s and {:.3g} us", where, file,
                     1e-9 * link.bytes_per_second, 1e6 * link.latency_seconds);
}

}  // namespace

PredictionModel prediction_model(Device device, const NodeMap& nodes) {
  if (device == Device::gpu) return {gpu_memory, gpu_inside, gpu_between};
  const double ranks = double(nodes.node_of.size()) / std::max(nodes.nodes, 1);
  return {std::min(core_memory, node_memory / ranks),
          cpu_inside,
          {cpu_adapter.bytes_per_second / ranks, cpu_adapter.latency_seconds}};
}

double awaited_sectors(const LocalStatistics& statistics, Device device) {
  return device == Device::cpu ? statistics.gathered_sectors : statistics.touched_sectors;
}

double MachineModel::local_seconds(const RankWork& work, bool alone) const {
  const ProductCosts& costs = machine.product;
  const double in_caches = work.rows * costs.row_seconds + work.nonzeros * costs.nonzero_seconds;
  return call_seconds(*this) + std::max({work.bytes / bandwidth(*this, work.bytes, alone),
                                         in_caches, work.sectors * costs.sector_seconds});
}

std::vector<MachineModel::Way> MachineModel::ways(const std::string& transport,
                                                  bool needs_between) const {
  const bool measured_between = needs_between && has(machine, false);
  std::vector<Way> ways;
  for (const LinkReport& link : machine.links) {
    const bool inside = link.between != other_node;
    // One way per transport: begun from the link inside nodes where these are known.
    if (inside != has(machine, true)) continue;
    if (transport != "auto" && transport != link.transport) continue;
    if (link.graph && !graphs) continue;
    const LinkReport* between = between_nodes(machine, link);
    if (measured_between && between == nullptr) continue;
    ways.push_back(
        {link.transport + (link.graph ? " in a graph" : ""), inside ? &link : nullptr, between});
  }
  if (ways.empty()) {
    ways.push_back({transport == "auto" ? "not measured" : transport + ", not measured"});
  }
  return ways;
}

double MachineModel::exchange_seconds(const Way& way, const RankWork& work) const {
  const PartTraffic& traffic = work.traffic;
  return side_seconds(*this, way.inside, traffic.sent_inside, traffic.received_inside,
                      work.entry_bytes, true) +
         side_seconds(*this, way.between, traffic.sent_between, traffic.received_between,
                      work.entry_bytes, false);
}

/// A GPU overlaps both or has them one after the other, whichever is quicker. A CPU has them one
/// after the other: MPI moves most bytes in its own calls.
double MachineModel::product_seconds(const RankWork& work, double local, double exchange) const {
  const double one_by_one = local + exchange;
  if (machine.device != "gpu" || exchange == 0) return one_by_one;
  const double call = call_seconds(*this);
  const double boundary = work.boundary_share * (local - call);
  const double overlapped = std::max(local - boundary, exchange) + boundary + call;
  return std::min(one_by_one, overlapped);
}

ExpectedReport expected_product(const Comm& comm, const MachineModel& model,
                                std::span<const RankWork> mine, int ranks,
                                const std::string& transport, const std::string& file) {
  ExpectedReport expected;
  expected.machine = file;
  expected.ranks = ranks;
  RankWork all;
  bool inside = false, between = false;
  for (const RankWork& work : mine) {
    all.rows += work.rows;
    all.nonzeros += work.nonzeros;
    all.bytes += work.bytes;
    all.sectors += work.sectors;
    expected.local_seconds = std::max(expected.local_seconds, model.local_seconds(work));
    const PartTraffic& traffic = work.traffic;
    inside = inside || traffic.sent_inside.messages + traffic.received_inside.messages > 0;
    between = between || traffic.sent_between.messages + traffic.received_between.messages > 0;
  }
  for (double* sum : {&all.rows, &all.nonzeros, &all.bytes, &all.sectors}) {
    *sum = sum_reals_over_ranks(comm, *sum);
  }
  expected.local_seconds = max_over_ranks(comm, expected.local_seconds);
  inside = max_over_ranks(comm, std::int64_t{inside}) != 0;
  between = max_over_ranks(comm, std::int64_t{between}) != 0;
  expected.bytes_per_nonzero = all.nonzeros > 0 ? all.bytes / all.nonzeros : 0;

  expected.seconds = std::numeric_limits<double>::infinity();
  for (const MachineModel::Way& way : model.ways(transport, between)) {
    double seconds = 0, exchange = 0;
    for (const RankWork& work : mine) {
      const double messages = model.exchange_seconds(way, work);
      exchange = std::max(exchange, messages);
      seconds = std::max(seconds, model.product_seconds(work, model.local_seconds(work), messages));
    }
    seconds = max_over_ranks(comm, seconds);
    exchange = max_over_ranks(comm, exchange);
    if (seconds >= expected.seconds) continue;
    expected.seconds = seconds;
    expected.exchange_seconds = exchange;
    expected.transport = inside || between ? way.name : "none";
    expected.note = other_nodes(model);
    const auto assume = [&](bool needed, const LinkReport* link, bool in_node) {
      if (!needed || link != nullptr) return;
      const Link& assumed = in_node ? model.assumed.inside : model.assumed.between;
      expected.note +=
          fmt::format("{}{}", expected.note.empty() ? "" : "; ",
                      assumption(assumed, in_node ? "inside nodes" : "between nodes", file));
    };
    assume(inside, way.inside, true);
    assume(between, way.between, false);
  }
  expected.exposed_seconds = expected.seconds - expected.local_seconds;
  expected.efficiency = model.local_seconds(all, true) / ranks / expected.seconds;
  return expected;
}

}  // namespace rowhalo

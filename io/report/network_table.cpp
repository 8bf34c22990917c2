// SPDX-License-Identifier: BSD-3-Clause
//
// The sections of `network`, and of what is predicted from a machine file, in the table for people
// (text_table.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "io/report/reasons.hpp"
#include "io/report/text_table.hpp"

namespace rowhalo {

namespace {

std::string rate_text(std::int64_t bytes, double seconds) {
  return digits_text(1e-9 * static_cast<double>(bytes) / seconds, 3);
}

/// KiB or MiB: sizes of arrays.
std::string binary_text(std::int64_t bytes) {
  constexpr std::int64_t mebibyte = 1 << 20;
  return bytes < mebibyte ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} MiB", bytes >> 20);
}

void write_reading(Table& table, const NetworkReport& n) {
  table.group("Read bandwidth, GB/s per rank");
  table.out() << fmt::format("  {:>9}  {:>10}  {:>10}\n", "array", "all ranks", "rank 0");
  for (const ReadPoint& point : n.reading) {
    table.out() << fmt::format("  {:>9}  {:>10}  {:>10}\n", binary_text(point.bytes),
                               rate_text(point.bytes, point.seconds),
                               rate_text(point.bytes, point.lone_seconds));
  }
}

void write_product(Table& table, const NetworkReport& n) {
  table.group("A product apart from its bytes");
  table.line("fixed", seconds_text(n.product.call_seconds));
  table.line("per row, nonzero", "{}, {}", seconds_text(n.product.row_seconds),
             seconds_text(n.product.nonzero_seconds));
  table.line("gather of 32 bytes", seconds_text(n.product.sector_seconds));
  if (n.launch_seconds && n.graph_node_seconds) {
    table.line("empty kernel", "{}, in a graph {}", seconds_text(*n.launch_seconds),
               seconds_text(*n.graph_node_seconds));
  }
}

void write_links(Table& table, const NetworkReport& n) {
  table.group("Exchanges between two ranks, all pairs at once");
  for (const UnmeasuredLink& link : n.left_out) table.line("left out", reason_text(link));
  if (n.links.empty()) {
    if (n.ranks == 1) table.line("none", "one rank has no other");
    return;
  }
  table.out() << fmt::format("  {:<12}{:<21}{:>9}{:>10}{:>10}{:>10}{:>9}{:>10}\n", "between",
                             "transport", "8 B", "8 KiB", "512 KiB", "4 MiB", "GB/s", "message");
  for (const LinkReport& link : n.links) {
    const auto at = [&](std::int64_t bytes) -> std::string {
      const auto point = std::ranges::find(link.points, bytes, &ExchangePoint::bytes);
      return point == link.points.end() ? "-" : seconds_text(point->seconds);
    };
    const ExchangePoint& last = link.points.back();
    table.out() << fmt::format("  {:<12}{:<21}{:>9}{:>10}{:>10}{:>10}{:>9}{:>10}\n", link.between,
                               link.transport + (link.graph ? " graph" : ""), at(8), at(8 << 10),
                               at(512 << 10), at(4 << 20), rate_text(last.bytes, last.seconds),
                               optional_seconds(link.message_seconds));
  }
  table.out() << "  GB/s: each way, of the longest; message: 8 bytes to each further neighbour,\n"
                 "  -: there is but one. 8 B: both ways, with packing and waiting\n";
}

}  // namespace

void write_network(Table& table, const NetworkReport& network) {
  table.group("Machine");
  table.line("measured by", "{} on {}, {}", count_text(network.ranks, "rank"),
             count_text(network.nodes, "node"), network.device);
  write_reading(table, network);
  write_product(table, network);
  write_links(table, network);
}

void write_expected(Table& table, const ExpectedReport& expected,
                    const std::optional<TimingReport>& timing) {
  table.group("Expected");
  table.line("on", "{} rank{} of {}, {}", grouped(expected.ranks), expected.ranks == 1 ? "" : "s",
             expected.machine,
             expected.transport == "none" ? "no exchange" : "transport " + expected.transport);
  if (!expected.partition.empty()) table.line("partition", expected.partition);
  table.line("time per product", "{}: rows {}, exchange {}, exposed {}",
             seconds_text(expected.seconds), seconds_text(expected.local_seconds),
             seconds_text(expected.exchange_seconds), seconds_text(expected.exposed_seconds));
  table.line("efficiency", "{:.1f} %, against one rank with all rows; {:.3g} bytes per nonzero",
             100 * expected.efficiency, expected.bytes_per_nonzero);
  if (timing && timing->median_seconds > 0) {
    const double error = expected.seconds / timing->median_seconds - 1;
    table.line("measured", "{}; the expected time is {:.3g} % {}",
               seconds_text(timing->median_seconds), 100 * std::abs(error),
               error < 0 ? "less" : "more");
    constexpr double much = 0.25;
    if (error < -much) {
      table.line("warning",
                 "slower than expected: a slow or busy machine, or columns too irregular");
    }
  }
  if (!expected.note.empty()) table.line("note", expected.note);
}

}  // namespace rowhalo

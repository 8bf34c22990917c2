// SPDX-License-Identifier: BSD-3-Clause
//
// The sections of `info` in the table for people (text_table.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "io/report/reasons.hpp"
#include "io/report/text_table.hpp"

namespace rowhalo {

namespace {

std::string percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * double(part) / double(whole));
}

std::string yes_no(bool value) {
  return value ? "yes" : "no";
}

void write_row_lengths(Table& table, const MatrixStatistics& s, const MatrixReport& matrix) {
  table.group("Row lengths");
  table.out() << fmt::format("  {:<24}{:>16}{:>9}{:>20}{:>9}\n", "entries per row", "rows", "share",
                             "nonzeros", "share");
  for (const RowLengthBucket& b : s.row_lengths) {
    if (b.rows == 0) continue;
    const std::string range = b.shortest == b.longest
                                  ? grouped(b.shortest)
                                  : grouped(b.shortest) + " - " + grouped(b.longest);
    table.out() << fmt::format("  {:<24}{:>16}{:>9}{:>20}{:>9}\n", range, grouped(b.rows),
                               percent(b.rows, matrix.info.rows), grouped(b.nonzeros),
                               percent(b.nonzeros, matrix.nonzeros));
  }
}

void write_statistics(Table& table, const MatrixStatistics& s, const MatrixReport& matrix) {
  write_row_lengths(table, s, matrix);
  table.group("Pattern and values");
  table.line("empty rows", grouped(s.empty_rows));
  table.line("distance |i - j|", "at most {} (bandwidth), mean {:.6g}", grouped(s.bandwidth),
             s.mean_distance);
  table.line("diagonal", "{} of {} entries stored", grouped(s.diagonal_entries),
             grouped(std::min(matrix.info.rows, matrix.info.columns)));
  if (s.symmetric_pattern && s.symmetry) {
    const char* values = *s.symmetry == ValueSymmetry::symmetric ? "yes"
                         : *s.symmetry == ValueSymmetry::skew    ? "skew-symmetric"
                                                                 : "no";
    table.line("symmetric", "pattern {}, values {}", yes_no(*s.symmetric_pattern), values);
  }
  if (s.smallest_abs && s.largest_abs) {
    table.line("values", "{:.6g} to {:.6g} in absolute value", *s.smallest_abs, *s.largest_abs);
  }
  table.line("distinct values", s.distinct_values ? fmt::format("{}", *s.distinct_values)
                                                  : fmt::format("> {}", most_counted_values));
  table.line("special values", "{} zeros stored, {} NaN, {} infinite", grouped(s.zeros),
             grouped(s.nans), grouped(s.infinities));
}

void write_partitions(Table& table, const InfoReport& info, std::int64_t nonzeros) {
  table.group("Partitions");
  table.line("for", "{} on {}{}", count_text(info.ranks, "rank"), count_text(info.nodes, "node"),
             info.hierarchical ? ", nodes first" : "");
  write_judgements(table, info.partitions, nonzeros);
}

void write_need(Table& table, const MemoryNeed& n) {
  table.group("Memory per rank, predicted");
  table.line("largest rank", "{} rows, {} nonzeros, {} ghosts", grouped(n.rows),
             grouped(n.nonzeros), grouped(n.ghosts));
  table.line("host", "{} while reading and partitioning, {} with a product on the CPU",
             bytes_text(n.host_peak_bytes), bytes_text(n.host_bytes));
  const std::string device = bytes_text(n.device_bytes);
  if (n.fits && n.device_capacity_bytes) {
    table.verdict("device", *n.fits,
                  fmt::format("{}: {} {}", device, *n.fits ? "fits" : "does not fit",
                              bytes_text(*n.device_capacity_bytes)));
  } else {
    table.line("device", device + " on a GPU (--device-memory GB says whether it fits)");
  }
  if (!n.note.empty()) table.line("note", n.note);
}

}  // namespace

void write_judgements(Table& table, const std::vector<PartitionJudgement>& list,
                      std::int64_t nonzeros) {
  constexpr std::size_t width = 8;
  const auto columns = [&](const std::string& name, const auto&... texts) {
    table.out() << with_text(
        name_cell(name, width) +
            fmt::format("  {:>7}{:>7}  {:>7}  {:>8}  {:>8}  {:>10}  {:>9}  {:>11} {:>8}", texts...),
        "");
  };
  columns("", "most", "/ mean", "edges", "halo", "most", "", "messages", "predicted", "");
  columns("name", "entries", "rows", "cut", "in all", "per rank", "neighbours", "in+out",
          "per product", "took");
  for (const PartitionJudgement& p : list) {
    if (!p.numbers) {
      table.out() << with_text(name_cell(p.name, width), reason_text(p));
      continue;
    }
    const PartitionNumbers& n = *p.numbers;
    columns(p.name, fmt::format("{:.4g}", n.imbalance), fmt::format("{:.4g}", n.row_imbalance),
            percent(n.edge_cut, nonzeros), bytes_text(n.halo_bytes),
            bytes_text(n.halo_bytes_max_rank),
            fmt::format("{:.3g}/{:.3g}", n.neighbors_mean, n.neighbors_max),
            fmt::format("{}+{}", n.messages_inside_nodes, n.messages_between_nodes),
            seconds_text(n.predicted_seconds), seconds_text(p.seconds));
  }
  table.out() << "  most / mean: imbalance over the ranks; halo: entries of x sent per product;\n"
                 "  neighbours per rank: mean/most; messages: inside + between nodes\n";
}

void write_info(Table& table, const RunReport& report) {
  const InfoReport& info = *report.info;
  if (info.statistics) write_statistics(table, *info.statistics, report.matrix);
  if (!info.partitions.empty()) write_partitions(table, info, report.matrix.nonzeros);
}

void write_need_of_info(Table& table, const RunReport& report) {
  write_need(table, report.info->need);
  table.group("This run");
  if (!report.info->dry) table.line("read", seconds_text(report.setup.read_seconds));
  table.line("memory per rank", "at most " + bytes_text(report.memory.peak_bytes_max_rank));
}

}  // namespace rowhalo

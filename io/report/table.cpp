// SPDX-License-Identifier: BSD-3-Clause
//
// The report as a table for people: one group a section, at most 100 columns, numbers with three or
// four digits and the unit that suits them.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "io/report/fields.hpp"
#include "io/report/reasons.hpp"
#include "io/report/text_table.hpp"
#include "io/report/writers.hpp"

namespace rowhalo {

namespace {

std::string name_of(const FormatCandidate& c) {
  return c.name;
}
std::string name_of(const TransportCandidate& c) {
  return label_of(c) + (c.graph ? " graph" : "");
}

/// `second`: the heading of the column behind the time of a product, which `seconds` is shown in.
template <class Candidate>
void write_candidates(std::ostream& out, const char* heading, const std::vector<Candidate>& list,
                      const char* second, std::optional<double> Candidate::*seconds) {
  if (list.empty()) return;
  std::size_t width = 9;
  for (const Candidate& c : list) width = std::max(width, name_of(c).size());
  out << fmt::format("  {:<{}}{:>11}  {:>10}\n", heading, width + 2, "per product", second);
  for (const Candidate& c : list) {
    out << with_text(fmt::format("    {:<{}}{:>11}  {:>10}", name_of(c), width,
                                 optional_seconds(c.seconds), optional_seconds(c.*seconds)),
                     reason_text(c));
  }
}

/// What stands behind the numbers of a format or a combination.
/// one_by_one: a product of several vectors is one for each.
std::string remarks(const auto& one, bool one_by_one = false) {
  std::string text = one.outcome == Outcome::wrong ? "FAILED" : "";
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "  ") + part; };
  if (one_by_one) add("one vector after the other");
  if (one.rows_unchecked > 0) add(fmt::format("unchecked rows: {}", one.rows_unchecked));
  if (!one.reason.empty()) add(one.reason);
  return text;
}

std::string optional_percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}

void write_formats(std::ostream& out, const RunReport& report) {
  const std::vector<FormatReport>& list = report.formats;
  const bool several = report.vectors > 1;
  const bool cold =
      std::ranges::any_of(list, [](const auto& f) { return f.cold_seconds.has_value(); });
  const std::size_t width =
      name_width(list, &FormatReport::name, 6, (cold ? 21 : 30) - (several ? 12 : 0));
  out << fmt::format("  {:<{}}  {:>9}  {:>9}  {}{}{:>7}  {:>7}  {:>7}  {:>7}  {:>6}\n", "format",
                     width, "called", "in graph", several ? "per vector  " : "",
                     cold ? "     cold  " : "", "GF/s", "GB/s", "share", "set-up", "error");
  for (const FormatReport& f : list) {
    std::string row = name_cell(f.name, width);
    if (f.seconds) {
      row += fmt::format("  {:>9}  {:>9}  {}{}{:>7}  {:>7}  {:>7}  {:>7}  {:>6.2g}",
                         optional_seconds(f.seconds), optional_seconds(f.graph_seconds),
                         several ? fmt::format("{:>10}  ", seconds_text(f.seconds_per_vector)) : "",
                         cold ? fmt::format("{:>9}  ", optional_seconds(f.cold_seconds)) : "",
                         digits_text(f.gflops, 4), digits_text(f.gbytes_per_second, 4),
                         optional_percent(f.share_of_read_bandwidth),
                         digits_text(f.setup_products, 3), f.max_error_ratio);
    }
    out << with_text(row, remarks(f, several && f.seconds && f.vectors_at_once == 1));
  }
  out << "  GB/s: bytes of CSR; share: of the measured read bandwidth, own bytes; set-up: in "
         "products\n";
}

/// How each format suits the matrix.
void write_format_design(std::ostream& out, const std::vector<FormatReport>& list) {
  const std::size_t width = name_width(list, &FormatReport::name, 6, 21);
  out << fmt::format("  {:<{}}  {:>9}  {:>8}  {:>10}  {:>8}  {:>10}  {:>6}  {}\n", "format", width,
                     "B/nonzero", "padding", "coalescing", "balance", "footprint", "refill",
                     "chosen");
  for (const FormatReport& f : list) {
    if (!f.seconds) continue;
    out << with_text(
        name_cell(f.name, width) +
            fmt::format("  {:>9.4g}  {:>8}  {:>10}  {:>8}  {:>10}  {:>6}", f.bytes_per_nonzero,
                        fmt::format("{:.1f} %", 100 * f.padding), optional_percent(f.coalescing),
                        optional_percent(f.balance), bytes_text(f.footprint_bytes),
                        f.refill_products ? digits_text(*f.refill_products, 3) : "-"),
        f.parameters);
  }
  out << "  refill: new values for the structure that is there, in products\n";
}

/// With the partition, where there are several.
void write_cases(std::ostream& out, const std::vector<CaseReport>& list) {
  const bool partitions = std::ranges::any_of(
      list, [&](const CaseReport& c) { return c.partition != list.front().partition; });
  const auto partition = [&](const std::string& name) {
    return partitions ? fmt::format("  {:<10}", name) : "";
  };
  const std::size_t format = name_width(list, &CaseReport::format, 6, partitions ? 12 : 24);
  std::size_t transport = 9;
  for (const CaseReport& c : list) {
    transport = std::max(transport, c.transport.size() + (c.graph ? 6 : 0));
  }
  out << fmt::format("  {:<{}}{}  {:<{}}  {:>11}  {:>10}  {:>9}  {}\n", "format", format,
                     partition("partition"), "transport", transport, "per product", "exposed",
                     "error", "y_hash");
  for (const CaseReport& c : list) {
    std::string row = name_cell(c.format, format) + partition(c.partition) +
                      fmt::format("  {:<{}}", c.transport + (c.graph ? " graph" : ""), transport);
    if (c.median_seconds) {
      row += fmt::format("  {:>11}  {:>10}  {:>9.3g}  {:016x}", optional_seconds(c.median_seconds),
                         optional_seconds(c.exposed_seconds), c.max_error_ratio, c.y_hash);
    }
    out << with_text(row, remarks(c));
  }
}

void write_matrix(Table& table, const RunReport& report) {
  const MatrixReport& m = report.matrix;
  const std::optional<InfoReport>& info = report.info;
  table.group("Matrix");
  table.line("source", "{}{}", report.transposed ? "transpose of " : "", m.info.source);
  table.line("size", "{} x {}, {}{} nonzeros", grouped(m.info.rows), grouped(m.info.columns),
             !info || info->exact_nonzeros ? "" : "about ", grouped(m.nonzeros));
  if (report.vectors > 1) {
    table.line("vectors", "{}, in {} layout", report.vectors, report.layout);
  }
  table.line("kind", "{} {}{}", m.info.field, m.info.symmetry,
             m.info.block > 1 ? fmt::format(", blocks of {}", m.info.block) : "");
  if (info && info->grid) {
    const auto& [x, y, z] = *info->grid;
    table.line("grid", "{} x {} x {}", grouped(x), grouped(y), grouped(z));
  }
  if (!m.fingerprint) {
    table.line("nonzeros per row", "mean {:.6g}", m.row_length.mean);
    return;
  }
  table.line("nonzeros per row", "{}, deviation {:.4g}", counts_text(m.row_length),
             m.row_length_stddev);
  table.line("fingerprint", "0x{:016x}", *m.fingerprint);
}

void write_partition(Table& table, const PartitionReport& p, std::int64_t nonzeros) {
  table.group("Partition");
  table.line("name", "{}{}, {}{}{}{}", p.name, p.candidates.empty() ? "" : " (predicted)",
             count_text(p.ranks, "rank"), p.nodes > 1 ? fmt::format(" on {} nodes", p.nodes) : "",
             p.hierarchical ? ", nodes first" : "",
             p.reorder == "none" ? "" : fmt::format(", {} on each rank", p.reorder));
  table.line("rows per rank", counts_text(rows_of(p.statistics)));
  table.line("nonzeros per rank", "{}, imbalance {:.4g}", counts_text(nonzeros_of(p.statistics)),
             p.statistics.imbalance);
  table.line("edge cut", "{} nonzeros", grouped(p.statistics.edge_cut));
  if (!p.candidates.empty()) write_judgements(table, p.candidates, nonzeros);
}

void write_halo(Table& table, const HaloReport& h) {
  const auto bytes = [&](std::int64_t entries) { return bytes_text(entries * h.entry_bytes); };
  table.group("Halo");
  table.line("transport", "{}{}{}{}", h.transport, h.graph ? " in a graph" : "",
             h.schedule.empty() ? "" : ", ", h.schedule);
  table.line("neighbours", "mean {:.4g}, max {:.4g}; {} messages per product",
             h.planned.neighbors_mean, h.planned.neighbors_max, grouped(h.planned.messages));
  table.line("sent per product", "{}, at most {} per rank", bytes(h.planned.entries_total),
             bytes(h.planned.entries_max_rank));
  if (h.partial_sums > 0) {
    table.line("partial sums", "{} of the {} entries sent", grouped(h.partial_sums),
               grouped(h.planned.entries_total));
  }
  const NodeTraffic& planned = h.planned_between_nodes;
  const NodeTraffic& sent = h.sent_between_nodes;
  if (planned.messages > 0) {
    const auto traffic = [&](const NodeTraffic& one) {
      return fmt::format("{} in {} messages", bytes(one.entries), grouped(one.messages));
    };
    std::string text = traffic(planned);
    if (sent.entries != planned.entries || sent.messages != planned.messages) {
      text += fmt::format("; sent: {}", traffic(sent));
    }
    table.line("between nodes", text);
  }
  table.line("boundary rows", grouped(h.planned.boundary_rows));
  if (h.poison || h.jitter_seconds > 0) {
    table.line(
        "disturbed", "{}{}{}; times mean little", h.poison ? "ghosts poisoned" : "",
        h.poison && h.jitter_seconds > 0 ? ", " : "",
        h.jitter_seconds > 0 ? fmt::format("delays up to {}", seconds_text(h.jitter_seconds)) : "");
  }
  write_candidates(table.out(), "transports", h.candidates, "exposed",
                   &TransportCandidate::exposed_seconds);
}

void write_kernel(Table& table, const KernelReport& k, const RunReport& report) {
  const std::optional<TuningReport>& tuning = report.tuning;
  table.group("Kernel");
  if (tuning) table.line("tuning", "from " + tuning->file + ", without trial runs");
  const bool one_format = k.boundary_format.empty() || k.boundary_format == k.format;
  table.line("format", "{}{}, {}, {}", k.format,
             one_format ? "" : fmt::format(", boundary {}", k.boundary_format), k.device,
             name_of(k.precision));
  if (!k.parameters.empty()) table.line("chosen", k.parameters);
  if (report.vectors > k.vectors_at_once) {
    table.line("vectors", "one after the other, each with its exchange: this format takes one");
  }
  table.line("work per product", "{}, {} flops", bytes_text(k.bytes), grouped(k.flops));
  table.line("footprint", bytes_text(k.footprint_bytes) + " beside the CSR arrays");
  table.line("set-up", seconds_text(k.setup_seconds));
  if (k.choice) {
    table.line("choice", "{}, as long as {} products", seconds_text(k.choice->seconds),
               digits_text(k.choice->products, 3));
  }
  write_candidates(table.out(), "formats", k.candidates, "set-up", &FormatCandidate::setup_seconds);
}

void write_setup(Table& table, const SetupReport& s, const MemoryReport& memory) {
  table.group("Set-up");
  table.line("read", seconds_text(s.read_seconds));
  table.line("partition, plan", "{}, {}", seconds_text(s.partition_seconds),
             seconds_text(s.plan_seconds));
  table.line("convert, upload", "{} into the format, {} to the device",
             seconds_text(s.convert_seconds), seconds_text(s.upload_seconds));
  if (s.transpose_seconds) table.line("transpose", seconds_text(*s.transpose_seconds));
  if (s.coo_to_csr_seconds) {
    table.line("COO to CSR", seconds_text(*s.coo_to_csr_seconds) + " on the device");
  }
  const std::int64_t device = memory.device_bytes_max_rank, read = memory.read_peak_bytes_max_rank;
  table.line("memory per rank", "at most {}{}{}", bytes_text(memory.peak_bytes_max_rank),
             read > 0 ? fmt::format(", reading {}", bytes_text(read)) : "",
             device > 0 ? fmt::format(", on its device {}", bytes_text(device)) : "");
}

/// Of `convert`, in place of the set-up.
void write_output(Table& table, const SetupReport& s, const MemoryReport& memory,
                  const OutputReport& o) {
  const auto amount = [](std::int64_t bytes, double seconds) {
    const double rate = seconds > 0 ? static_cast<double>(bytes) / seconds : 0;
    return fmt::format("{}, {}, {}/s", seconds_text(seconds), bytes_text(bytes), bytes_text(rate));
  };
  table.group("Conversion");
  table.line("read", o.read_bytes > 0 ? amount(o.read_bytes, s.read_seconds)
                                      : seconds_text(s.read_seconds) + ", generated");
  table.line("written", amount(o.bytes, o.seconds));
  table.line("to", o.path);
  table.line("memory per rank", "at most {}", bytes_text(memory.peak_bytes_max_rank));
}

void write_timing(Table& table, const TimingReport& t, const RunReport& report) {
  const std::optional<PerformanceReport>& performance = report.performance;
  table.group("Timing");
  table.line("time per product", "median {}, min {}, 95th percentile {}",
             seconds_text(t.median_seconds), seconds_text(t.min_seconds),
             seconds_text(t.p95_seconds));
  if (report.vectors > 1) {
    table.line("time per vector", "median {}", seconds_text(t.seconds_per_vector));
  }
  table.line("batches", t.batches == 0 ? fmt::format("a part of one, {} products", t.iterations)
                                       : fmt::format("{} of {} products", t.batches, t.iterations));
  if (t.median_seconds > 1.5 * t.min_seconds) {
    table.line("warning",
               "the median is {:.2g} times the fastest batch: does other work use these "
               "cores, GPUs or links?",
               t.median_seconds / t.min_seconds);
  }
  table.line("phases", "pack {}, wait for ghosts {}, interior {}, boundary {}",
             seconds_text(t.phases.pack), seconds_text(t.phases.exchange),
             seconds_text(t.phases.interior), seconds_text(t.phases.boundary));
  if (t.exposed_seconds) table.line("exposed halo", seconds_text(*t.exposed_seconds));
  if (!performance) return;
  table.line("rate", "{} GF/s, {} GB/s (bytes of CSR)", digits_text(performance->gflops, 4),
             digits_text(performance->gbytes_per_second, 4));
  if (performance->share_of_read_bandwidth && performance->read_bandwidth_gbytes) {
    table.line("read bandwidth", "{:.3g} % of the measured {} GB/s (the format's own bytes)",
               100 * *performance->share_of_read_bandwidth,
               digits_text(*performance->read_bandwidth_gbytes, 4));
  }
}

void write_validation(Table& table, const ValidationReport& v,
                      const std::optional<TimingReport>& timing) {
  table.group("Validation");
  if (v.against != Against::none) {
    table.verdict(
        name_of(v.against), v.passed,
        fmt::format("{}, {} rows{}, largest error {:.4g} of its bound{}",
                    v.passed ? "passed" : "failed", grouped(v.rows_checked),
                    v.rows_unchecked == 0 ? "" : ", " + grouped(v.rows_unchecked) + " unchecked",
                    v.max_error_ratio,
                    v.worst_row < 0 ? "" : fmt::format(" in row {}", v.worst_row)));
  } else {
    table.line("none", "y was not checked");
  }
  if (!v.note.empty()) table.line("note", v.note);
  if (v.petsc_seconds) {
    const std::string ratio =
        timing && timing->median_seconds > 0
            ? fmt::format(", {:.3g} times ours", *v.petsc_seconds / timing->median_seconds)
            : "";
    table.line("petsc per product", seconds_text(*v.petsc_seconds) + ratio);
  }
  if (v.y_hashes.size() < 2) return table.line("y_hash", "0x{:016x}", v.y_hash);
  for (std::size_t k = 0; k < v.y_hashes.size(); ++k) {
    table.line(k == 0 ? "y_hash per vector" : "", "0x{:016x}", v.y_hashes[k]);
  }
}

/// The parts that took a hundredth of it or more.
void write_wall(Table& table, const WallReport& w) {
  std::string text;
  fields(w, [&](const std::string& name, double seconds, const char*) {
    const std::size_t end = name.find("_seconds");  // the sum has another name
    if (end == std::string::npos || seconds < 0.01 * w.seconds) return;
    text += fmt::format("{}{} {:.2g}", text.empty() ? "" : ", ", name.substr(0, end), seconds);
  });
  table.group("Wall clock");
  table.line("rank 0", "{:.3g} s: {}", w.seconds, text);
}

}  // namespace

void write_table(std::ostream& out, const RunReport& report, bool color) {
  Table table(out, color);
  if (report.network) {
    write_network(table, *report.network);
  } else {
    write_matrix(table, report);
  }
  if (report.info) write_info(table, report);
  if (report.partition) write_partition(table, *report.partition, report.matrix.nonzeros);
  if (report.halo) write_halo(table, *report.halo);
  if (report.kernel) write_kernel(table, *report.kernel, report);
  if (report.info) {
    write_need_of_info(table, report);
  } else if (report.output) {
    write_output(table, report.setup, report.memory, *report.output);
  } else if (!report.network) {
    write_setup(table, report.setup, report.memory);
  }
  if (report.timing) write_timing(table, *report.timing, report);
  if (report.expected) write_expected(table, *report.expected, report.timing);
  if (report.validation) write_validation(table, *report.validation, report.timing);
  if (report.pair) write_pair(table, *report.pair);
  if (report.telemetry) write_telemetry(table, *report.telemetry);
  if (const auto& b = report.bandwidth) {
    table.group("Device");
    table.line("bandwidth", "read {}, copy {}, triad {} GB/s", digits_text(b->read, 4),
               digits_text(b->copy, 4), digits_text(b->triad, 4));
  }
  if (!report.formats.empty()) {
    table.group("Formats");
    write_formats(out, report);
    table.group("How formats suit the matrix");
    write_format_design(out, report.formats);
    for (const FormatReport& format : report.formats) {
      if (!format.candidates.empty()) table.group("How auto chose");
      write_candidates(out, "formats", format.candidates, "set-up",
                       &FormatCandidate::setup_seconds);
    }
  }
  if (!report.solvers.empty()) write_solvers(table, report.solvers);
  if (report.time_steps) write_time_steps(table, *report.time_steps);
  if (!report.cases.empty()) {
    table.group("Combinations");
    write_cases(out, report.cases);
    const std::string winner = winner_text(report.cases);
    if (!winner.empty()) table.line("winner", winner);
  }
  if (report.wall.seconds > 0) write_wall(table, report.wall);
  out << '\n';
}

}  // namespace rowhalo

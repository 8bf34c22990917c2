// SPDX-License-Identifier: BSD-3-Clause
//
// The sections of `info`, of `network`, of what is predicted from a machine file, of `solve`, of
// `run --pair` and of telemetry, in the table for people (text_table.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "io/report/reasons.hpp"
#include "io/report/text_table.hpp"

namespace rowhalo {

namespace {

/// "a" or "a to b", over all GPUs; "?" where none tells.
std::string range_text(const std::vector<GpuTelemetry>& gpus, const auto& value) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const GpuTelemetry& gpu : gpus) {
    least = std::fmin(least, value(gpu));
    most = std::fmax(most, value(gpu));
  }
  if (least > most) return "?";
  const std::string first = fmt::format("{:.0f}", least), last = fmt::format("{:.0f}", most);
  return first == last ? first : first + " to " + last;
}

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

std::string number_or_dash(const std::optional<double>& value) {
  if (!value) return "-";
  return std::isnan(*value) ? "nan" : fmt::format("{:.3e}", *value);
}

void write_solver(std::ostream& out, const SolverReport& s) {
  out << with_text(fmt::format("  {:<22}{:>7}{:>12}{:>12}{:>11}{:>11}", s.method, s.iterations,
                               s.iteration_seconds ? seconds_text(*s.iteration_seconds) : "-",
                               seconds_text(s.solve_seconds), number_or_dash(s.true_residual),
                               number_or_dash(s.error)),
                   s.reason.empty() ? s.end : s.reason);
  for (const PetscSolverReport& p : s.petsc) {
    const std::string ratio = s.iteration_seconds && *s.iteration_seconds > 0
                                  ? fmt::format("; {:.3g} times ours per iteration",
                                                p.iteration_seconds / *s.iteration_seconds)
                                  : "";
    out << with_text(fmt::format("  {:<22}{:>7}{:>12}{:>12}{:>11.3e}{:>11}", "  petsc " + p.name,
                                 p.iterations, seconds_text(p.iteration_seconds),
                                 seconds_text(p.solve_seconds), p.true_residual, "-"),
                     p.end + ratio);
  }
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

void write_pair(Table& table, const PairReport& p) {
  table.group("Pair");
  table.line("time per pair", "median {}, interval {} to {}, {} batches of {}{}",
             seconds_text(p.median_seconds), seconds_text(p.median_low_seconds),
             seconds_text(p.median_high_seconds), p.batches, count_text(p.iterations, "pair"),
             p.graph ? " in a graph" : "");
  table.line("alone", "A x {}, A^T x {}; the pair takes {:.3f} times the sum",
             seconds_text(p.product.median_seconds), seconds_text(p.transposed.median_seconds),
             p.time_ratio);
  const auto memory = [](const PairSide& s) { return bytes_text(s.host_bytes + s.device_bytes); };
  if (p.one_operator) {
    table.line("operators", "one: the matrix equals its transpose; {}", memory(p.product));
  } else {
    const auto operator_text = [&](const PairSide& s) {
      const bool one_format = s.boundary_format.empty() || s.boundary_format == s.format;
      return fmt::format("{}{}, {}{}, {}, partition {}; {}", s.format,
                         one_format ? "" : ", boundary " + s.boundary_format, s.transport,
                         s.graph ? " in a graph" : "", s.schedule, s.partition, memory(s));
    };
    table.line("A", operator_text(p.product));
    table.line("A^T", operator_text(p.transposed));
    table.line("memory", "both take {:.3f} times that of A", p.memory_ratio);
  }
  for (const auto& [name, side] : {std::pair{"A x", &p.product}, {"A^T x", &p.transposed}}) {
    const ValidationReport& v = side->validation;
    const std::string hash = fmt::format("y_hash 0x{:016x}", v.y_hash);
    if (v.against == Against::none) {
      table.line(name, "not checked, " + hash);
    } else {
      table.verdict(name, v.passed,
                    fmt::format("{}, largest error {:.4g} of its bound, {}",
                                v.passed ? "passed" : "failed", v.max_error_ratio, hash));
    }
  }
}

void write_solvers(Table& table, const std::vector<SolverReport>& solvers) {
  // A refused method has no values for these lines.
  const auto ran = std::ranges::find_if(
      solvers, [](const SolverReport& one) { return one.outcome != Outcome::refused; });
  const SolverReport& first = ran == solvers.end() ? solvers.front() : *ran;
  table.group("Solve");
  table.line("preconditioner", first.preconditioner);
  if (first.wanted_iterations > 0) {
    table.line("stops after", "{} iterations, whatever the norm", first.wanted_iterations);
  } else {
    table.line("stops at", first.eigenvalue
                               ? fmt::format("{} of {:.3g} |lambda|", first.norm, first.tolerance)
                               : fmt::format("{:.3g} of the first {}{}", first.tolerance,
                                             first.norm, first.norm_of_residual ? " norm" : ""));
  }
  table.line("sums", first.reproducible ? "reproducible" : "in any order");
  table.out() << fmt::format("  {:<22}{:>7}{:>12}{:>12}{:>11}{:>11}  {}\n", "method", "iter.",
                             "per iter.", "in all", "residual", "error", "end");
  for (const SolverReport& solver : solvers) write_solver(table.out(), solver);
  for (const SolverReport& s : solvers) {
    if (!s.iteration_seconds) continue;
    table.group(s.method.c_str());
    table.line("launched", "{}, sums over ranks: {}", s.execution, s.reduction_by);
    if (s.phases.product > 0) {
      table.line("per iteration", "product {} (exposed halo {}), vectors {}, reductions {}",
                 seconds_text(s.phases.product), seconds_text(s.phases.exposed_halo),
                 seconds_text(s.phases.vectors), seconds_text(s.phases.reductions));
    }
    if (s.floor_share) {
      table.line("floor", "{} for {}, {:.3g} % reached", seconds_text(*s.floor_seconds),
                 bytes_text(s.bytes), 100 * *s.floor_share);
    }
    table.line("rate", digits_text(s.gflops, 4) + " GF/s");
    if (s.eigenvalue) table.line("eigenvalue", "{:.15g}", *s.eigenvalue);
    table.line("x_hash", "0x{:016x}", s.x_hash);
  }
}

void write_time_steps(Table& table, const TimeStepsReport& steps) {
  table.group("Time steps");
  table.line("taken", "{} with new values, {} iterations of {}; largest residual {:.3g}",
             steps.steps, steps.iterations, steps.method, steps.true_residual);
  if (steps.steps == 0) return;
  const auto share = [&](const char* name, double seconds) {
    const double all = steps.step_seconds();
    table.line(name, "{} per step, {:.1f} %", seconds_text(seconds / steps.steps),
               all > 0 ? 100 * seconds / all : 0);
  };
  share(steps.moves ? "rows that moved" : "copy of the values", steps.moved_seconds);
  if (steps.sums_seconds > 0) share("partial sums", steps.sums_seconds);
  share("refill", steps.refill_seconds);
  share("preconditioner", steps.preconditioner_seconds);
  share("solve", steps.solve_seconds);
  const std::int64_t grown =
      std::max<std::int64_t>({steps.grown_host_bytes, steps.grown_device_bytes, std::int64_t{0}});
  table.line("memory", grown == 0 ? "no growth" : bytes_text(grown) + " more after the third step");
  if (steps.petsc_seconds) {
    table.line("PETSc", "MatSetValuesCOO: {}", seconds_text(*steps.petsc_seconds));
  }
}

void write_telemetry(Table& table, const TelemetryReport& t) {
  const bool energy = t.gpu_joules || t.cpu_joules;
  if (t.gpus.empty() && !energy) return;
  table.group("While timed");
  if (!t.gpus.empty()) {
    const auto text = [&](const auto& value) { return range_text(t.gpus, value); };
    table.line("clock", "mean {} of {} MHz, memory {} MHz",
               text([](const auto& g) { return g.sm_clock_mhz.mean; }),
               text([](const auto& g) { return g.highest_sm_clock_mhz; }),
               text([](const auto& g) { return g.memory_clock_mhz; }));
    table.line("power per GPU", "sampled mean {} of {} W, at most {} degrees Celsius",
               text([](const auto& g) { return g.power_watts.mean; }),
               text([](const auto& g) { return g.power_limit_watts; }),
               text([](const auto& g) { return g.temperature_celsius; }));
  }
  std::string text;
  if (t.gpu_joules) text += "GPUs " + joules_text(*t.gpu_joules);
  if (t.cpu_joules) text += (text.empty() ? "CPUs " : ", CPUs ") + joules_text(*t.cpu_joules);
  text += fmt::format(" in {:.3g} s", t.seconds);
  if (t.energy_per_product_joules) {
    text += fmt::format("; {} per product, {:.4g} GF/s per watt",
                        joules_text(*t.energy_per_product_joules), *t.gflops_per_watt);
  }
  if (energy) table.line("energy", text);
  for (const std::string& warning : t.warnings) table.line("warning", warning);
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The lines that scripts look for: FOM and RESULT (frozen: CHANGELOG.md), the first lines of a run,
// and the communication matrix. fmt never looks at the locale, so numbers have a point everywhere.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "io/report/text_table.hpp"
#include "io/report/writers.hpp"
#include "partition/base/text.hpp"

namespace rowhalo {

namespace {

/// "a (4), b (2)": each name once, in order of appearance, with how often it stands there.
std::string counted(const std::vector<std::string>& names) {
  std::string text;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", *name,
                        std::count(name, names.end(), *name));
  }
  return text;
}

void write_fom(std::ostream& out, const char* name, double value, const char* unit) {
  out << fmt::format("FOM: {} {:.9g} {}\n", name, value, unit);
}

}  // namespace

std::string communication_text(const CommunicationReport& c) {
  std::string text = "from to entries bytes\n";
  for (const Flow& f : c.flows) {
    text += fmt::format("{} {} {} {}\n", f.from, f.to, f.entries, f.entries * c.entry_bytes);
  }
  return text;
}

void write_header(std::ostream& out, const Provenance& provenance, bool color) {
  const char* bold = color ? "\033[1m" : "";
  const char* plain = color ? "\033[0m" : "";
  const std::string git = provenance.git.empty() ? "" : fmt::format(" ({})", provenance.git);
  out << fmt::format("{}Rowhalo {}{}{}, started {}\n", bold, provenance.version, plain, git,
                     provenance.time);
  const std::string where =
      fmt::format("{}; hosts: {}; devices: {}", count_text(std::ssize(provenance.hosts), "rank"),
                  counted(provenance.hosts), counted(provenance.devices));
  out << wrapped(where, 2, 0) << '\n';
}

void write_fom_lines(std::ostream& out, const RunReport& report) {
  if (report.timing) write_fom(out, "spmv_median_seconds", report.timing->median_seconds, "s");
  if (report.timing && report.vectors > 1) {
    write_fom(out, "spmv_seconds_per_vector", report.timing->seconds_per_vector, "s");
  }
  if (report.performance) {
    write_fom(out, "spmv_gflops", report.performance->gflops, "GF/s");
    write_fom(out, "spmv_gbytes", report.performance->gbytes_per_second, "GB/s");
  }
  if (report.timing && report.timing->exposed_seconds) {
    write_fom(out, "halo_exposed_seconds", *report.timing->exposed_seconds, "s");
  }
  if (report.pair) {
    write_fom(out, "spmv_pair_median_seconds", report.pair->median_seconds, "s");
    write_fom(out, "spmv_transposed_median_seconds", report.pair->transposed.median_seconds, "s");
  }
  // Of the fastest method that came to its end.
  const SolverReport* fastest = nullptr;
  for (const SolverReport& solver : report.solvers) {
    const bool counts = solver.passed || solver.check == SolutionCheck::no_memory;
    if (!counts || !solver.iteration_seconds) continue;
    if (fastest == nullptr || solver.solve_seconds < fastest->solve_seconds) fastest = &solver;
  }
  if (fastest != nullptr) {
    write_fom(out, "solve_iteration_seconds", *fastest->iteration_seconds, "s");
    write_fom(out, "solve_seconds", fastest->solve_seconds, "s");
    write_fom(out, "solve_gflops", fastest->gflops, "GF/s");
  }
  if (report.telemetry && report.telemetry->energy_per_product_joules) {
    write_fom(out, "energy_per_product_joules", *report.telemetry->energy_per_product_joules, "J");
  }
  if (report.kernel) {
    const SetupReport& setup = report.setup;
    write_fom(out, "setup_seconds",
              setup.read_seconds + setup.partition_seconds + setup.plan_seconds +
                  setup.convert_seconds + setup.upload_seconds,
              "s");
  }
}

void write_result_line(std::ostream& out, const RunReport& report, bool color) {
  const bool pass = report.status == RunStatus::ok &&
                    (!report.validation || report.validation->against == Against::none ||
                     report.validation->passed);
  const char* tint = !color ? "" : pass ? "\033[1;32m" : "\033[1;31m";
  out << fmt::format("{}RESULT: {} {}{}\n", tint, pass ? "PASS" : "FAIL", one_line(report.verdict),
                     color ? "\033[0m" : "");
}

}  // namespace rowhalo

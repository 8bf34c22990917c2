// SPDX-License-Identifier: BSD-3-Clause
//
// Tables fit 100 columns whatever they are told, and lose nothing of it.
#include <algorithm>
#include <sstream>

#include "io/report/text_table.hpp"
#include "tests/catch.hpp"
#include "tests/io/sample_reports.hpp"

using namespace rowhalo;

namespace {

const std::string path = "/scratch/project_0123456789/some user/matrices/collection/" +
                         std::string(120, 'm') + "/matrix-with-a-long-name.mtx.gz";
const std::string reason =
    "not usable here: this build has no library of that name; install one with 64-bit numbers, "
    "then configure and build again, or use another transport, format or partitioner";

std::string without_space(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\n') result += c;
  }
  return result;
}

/// Every line fits, none ends with spaces, and every text is there, if broken.
void check_table(const std::string& table, const std::vector<std::string>& texts) {
  INFO(table);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 100);
    CHECK(!line.ends_with(' '));
  }
  const std::string dense = without_space(table);
  for (const std::string& text : texts) {
    CHECK(dense.find(without_space(text)) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("Large numbers have no exponents") {
  CHECK(digits_text(0.29331, 4) == "0.2933");
  CHECK(digits_text(999.96, 4) == "1000");
  CHECK(digits_text(12262.7, 4) == "12263");
  CHECK(digits_text(1234.5, 3) == "1234");
  CHECK(counts_text({4726830, 16777216.5, 28827602}) ==
        "min 4 726 830, mean 16 777 217, max 28 827 602");
  CHECK(counts_text({8, 26.83157, 27}) == "min 8, mean 26.8316, max 27");
  CHECK(joules_text(15900) == "15.9 kJ");
}

TEST_CASE("Energy is told with the time in which it was used") {
  RunReport report = complete_report();
  report.telemetry.emplace();
  report.telemetry->seconds = 12;
  report.telemetry->gpu_joules = 15900;
  report.telemetry->energy_per_product_joules = 3.605;
  report.telemetry->gflops_per_watt = 0.2933;
  CHECK(
      table_of(report).find("GPUs 15.9 kJ in 12 s; 3.605 J per product, 0.2933 GF/s per watt\n") !=
      std::string::npos);
}

TEST_CASE("Texts are broken at spaces, long words behind '/' and ',' or anywhere") {
  CHECK(wrapped("short", 30, 10) == "short");
  const std::string words = wrapped(std::string(60, 'a') + " " + std::string(45, 'b'), 4, 2);
  CHECK(words == std::string(60, 'a') + "\n    " + std::string(45, 'b'));
  CHECK(wrapped(std::string(98, 'a'), 4, 2) == std::string(98, 'a'));
  CHECK(wrapped(std::string(99, 'a'), 4, 2) == std::string(98, 'a') + "\n    a");
  CHECK(wrapped(std::string(90, 'a') + "/" + std::string(20, 'b'), 0, 0) ==
        std::string(90, 'a') + "/\n" + std::string(20, 'b'));
  CHECK(wrapped(std::string(92, 'a') + " 5.744 us", 2, 0) == std::string(92, 'a') + "\n  5.744 us");
  std::string umlauts;
  for (int k = 0; k < 60; ++k) umlauts += "\xc3\xa4";
  CHECK(wrapped("x" + umlauts, 0, 0).find("\xc3\n") == std::string::npos);
}

TEST_CASE("What stands behind a row goes below it where there is no room") {
  CHECK(with_text("  row", "text") == "  row  text\n");
  CHECK(with_text("  row   ", "") == "  row\n");
  const std::string wide(90, 'x'), text = "twelve words";
  CHECK(with_text(wide, text) == wide + "\n      " + text + "\n");
  CHECK(name_cell("abc", 5) == "  abc  ");
  CHECK(name_cell("abcdef", 5) == "  abcdef\n       ");
}

TEST_CASE("Tables of ordinary reports fit 100 columns") {
  for (const RunReport& report :
       {complete_report(), info_report(), network_report(), kernels_report(), minimal_report()}) {
    check_table(table_of(report), {});
  }
}

TEST_CASE("Tables fit with long names and reasons everywhere") {
  RunReport report = complete_report();
  report.matrix.info.source = path;
  report.partition->name = "file:" + path;
  report.partition->candidates = info_report().info->partitions;
  report.partition->candidates.push_back(
      {"file:" + path, info_report().info->partitions[0].numbers, 1});
  report.partition->candidates[1].figures.refusal = reason;
  report.halo->candidates.push_back({"mpi-persistent", false, {}, {}, Outcome::refused, reason});
  report.kernel->format = report.kernel->boundary_format = "csr-balanced:threads=256,codes=off";
  report.kernel->candidates.push_back(refused_format("csr-balanced", reason));
  report.validation->note = reason;
  report.validation->passed = false;
  report.cases = {{"rows", "asell:codes=off,unroll=9,threads=128", "mpi-persistent", false, 1e-3,
                   1e-5, 3, 7, Outcome::wrong, reason},
                  {"metis", "csr-balanced", "p2p", true, {}, {}, 0, 0, Outcome::refused, reason}};
  check_table(table_of(report), {path, reason});

  report = kernels_report();
  report.formats[0].name = "csr-balanced:threads=256,codes=off,hubs=1024";
  report.formats[0].parameters = "format=csr-balanced,threads=256,hubs=1024,codes=off,entries=16";
  report.formats[0].outcome = Outcome::wrong;
  report.formats[0].reason = reason;
  report.formats[0].rows_unchecked = 12345678;
  report.formats[2].reason = reason;
  check_table(table_of(report), {report.formats[0].name, report.formats[0].parameters, reason});

  report = network_report();
  report.network->left_out = {{"same node", "mpi-persistent", true, reason}};
  check_table(table_of(report), {reason});
  report = minimal_report();
  report.output = OutputReport{path, 3000000, 4000000, 0.5};
  check_table(table_of(report), {path});
}

TEST_CASE("The table of solvers fits with PETSc's reasons") {
  RunReport report = complete_report();
  SolverReport solver;
  solver.method = "cg-one-reduction";
  solver.preconditioner = "block-jacobi";
  solver.norm = "unpreconditioned";
  solver.iteration_seconds = 1e-4;
  solver.end = "converged";
  solver.execution = "called one by one";
  solver.reduction_by = "MPI";
  solver.petsc = {{"pipecg", "CONVERGED_RTOL_NORMAL_EQUATIONS", 100, 2e-4, 2e-2, 1e-9}};
  report.solvers = {solver, solver};
  report.solvers[1].reason = reason;
  check_table(table_of(report), {solver.petsc[0].end + "; 2 times ours per iteration", reason});
}

TEST_CASE("Where --iterations says when solvers end, the tolerance is not named") {
  RunReport report = complete_report();
  SolverReport solver;
  solver.tolerance = 1e-8;
  solver.norm = "natural";
  solver.end = "converged";
  report.solvers = {solver};
  CHECK(table_of(report).find("stops at            1e-08 of the first natural norm\n") !=
        std::string::npos);
  report.solvers[0].wanted_iterations = 5000;
  CHECK(table_of(report).find("stops after         5000 iterations, whatever the norm\n") !=
        std::string::npos);
  CHECK(table_of(report).find("stops at") == std::string::npos);
}

TEST_CASE("The first lines of a run on many hosts fit, too") {
  Provenance provenance = complete_report().provenance;
  provenance.hosts.clear();
  for (int k = 0; k < 40; ++k) provenance.hosts.push_back("node" + std::to_string(1000 + k));
  std::ostringstream out;
  write_header(out, provenance, false);
  check_table(out.str(), {"node1000 (1), node1001 (1)", "node1039 (1); devices: cpu (3)"});
}

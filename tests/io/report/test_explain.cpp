// SPDX-License-Identifier: BSD-3-Clause
//
// --explain: sentences about a fixed report, with the numbers of that report.
#include <regex>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/io/sample_reports.hpp"

using namespace rowhalo;

namespace {

std::string explanation(const RunReport& report) {
  std::ostringstream out;
  write_explanation(out, report, false);
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
  return out.str();
}

/// Whether the explanation has `text`, wherever it breaks lines.
bool says(const RunReport& report, const std::string& text) {
  const std::string all = std::regex_replace(explanation(report), std::regex("\n {4,}"), " ");
  UNSCOPED_INFO(all);
  return all.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("What auto chose, by how much, and what was left out") {
  RunReport report = complete_report();
  report.partition->candidates = info_report().info->partitions;
  report.partition->candidates.push_back(report.partition->candidates[0]);
  report.partition->candidates[2].name = "nnz";
  report.partition->candidates[2].numbers->predicted_seconds = 1.6e-3;
  report.kernel->candidates.push_back(refused_format("dia", "pads too much"));
  report.kernel->candidates.push_back({"csr-omp", 1.28e-3, 0.0});
  CHECK(explanation(report) == R"(Why
  Partition: auto predicted the time of a product, from bytes and halo, for 2 of 3 partitioners and
    took nnz, 1.6 ms per product. Next is rows, 2 ms, 25 % more.
    box left out: --partition box: this matrix has no grid; use metis
  Format: auto timed products in 2 of 4 formats and took sell, 1.25 ms per product. Next is csr-omp,
    1.28 ms, 2.4 % more. So close a choice may differ in another run.
    ell, dia left out: pads too much
  Rows that need ghosts are in csr.
  Transport: auto timed products with 1 of 2 transports and took mpi, 1.5 ms per product. There is
    no runner-up.
    nccl in a graph left out: no GPU
  Schedule: overlap.

Where the time goes
  A product takes 1.25 ms.
  The floor is not known: a run measures the read bandwidth of GPUs only. rowhalo network measures
    that of CPUs, and --machine FILE expects times from it.
  A product moves 148.1 MB, which is 118.5 GB/s.
  The exchange adds 20 us (1.6 %) that no rows hide.
  What is left, 1.23 ms (98.4 %), is the time of the rows on the slowest rank.
  One rank has 1.25 times the mean of the nonzeros, and the others wait for it.

)");
}

TEST_CASE("Predictions that are equal or close are no matter of chance") {
  RunReport report = complete_report();
  report.partition->candidates = info_report().info->partitions;
  report.partition->candidates[0].name = "nnz";
  report.partition->candidates[1] = report.partition->candidates[0];
  report.partition->candidates[1].name = "rows";
  report.kernel->candidates.clear();
  CHECK(says(report, "took nnz, 2 ms per product. Next is rows with the same time.\n"));
  report.partition->candidates[1].numbers->predicted_seconds = 2.02e-3;
  CHECK(says(report, "Next is rows, 2.02 ms, 1 % more.\n"));
  report.partition->candidates[1].numbers->predicted_seconds = 1.98e-3;
  CHECK(says(report, "Next is rows, 1.98 ms, 1 % less, too little to leave nnz.\n"));
  report.partition->candidates[1].outcome = Outcome::skipped;
  report.partition->candidates[1].figures = {PartitionGrounds::same_graph, 0, 0, "nnz"};
  report.partition->candidates[1].numbers.reset();
  CHECK(says(report, " rows left out: nnz has cut the same graph\n"));
}

TEST_CASE("What was named is not compared") {
  RunReport report = complete_report();
  report.kernel->candidates.clear();
  report.halo->candidates.clear();
  report.halo->graph = true;
  report.halo->schedule = "blocking";
  report.halo->schedule_grounds = ScheduleGrounds::no_ghosts;
  CHECK(says(report, "  Partition: nnz, as named.\n"));
  CHECK(says(report, "  Format: sell, as named.\n"));
  CHECK(says(report, "  Transport: mpi in a graph, as named.\n"));
  CHECK(says(report, "  Schedule: blocking, since no row needs ghosts.\n"));
  report.halo->planned.messages = 0;
  report.partition->ranks = 1;
  CHECK(says(report, "  Partition: one rank owns all rows.\n"));
  CHECK(says(report, "  Transport: nothing is exchanged.\n"));
  CHECK_FALSE(says(report, "The exchange adds"));
}

TEST_CASE("Trials of other schedules belong to the schedule") {
  RunReport report = complete_report();
  const auto trial = [](const char* schedule, const char* format, double share, Outcome outcome) {
    return TransportCandidate{"p2p",
                              outcome == Outcome::chosen,
                              1e-3 * share,
                              {},
                              outcome,
                              {},
                              ScheduleTrial{schedule, format, "overlap", share}};
  };
  report.halo->candidates = {{"p2p", true, 1e-3, 1e-4, Outcome::chosen},
                             trial("split", "sell", 0.93, Outcome::chosen)};
  report.halo->transport = "p2p";
  report.halo->graph = true;
  CHECK(says(report, "with 1 of 1 transports and took p2p in a graph, 1 ms per product."));
  CHECK(says(report, "The schedule split was tried: sell, 0.93 of the time of overlap, taken."));
  report.halo->candidates.push_back(trial("blocking", "csr-omp", 1.1, Outcome::slower));
  CHECK(says(report, "The schedule blocking was tried: csr-omp, 1.10 of the time of overlap."));
  report.halo->candidates.erase(report.halo->candidates.begin());
  CHECK(says(report, "  Transport: p2p in a graph, as named.\n"));
}

TEST_CASE("A format that won beside the exchange needs no time of its own") {
  RunReport report = complete_report();
  report.kernel->format = "csr-omp";
  const FormatFigures figures{FormatGrounds::trial_with_exchange};
  report.kernel->candidates = {{"asell", 1e-3, 0.0, Outcome::slower, figures},
                               {"csr-omp", {}, {}, Outcome::chosen, figures},
                               {"dia", {}, {}, Outcome::budget_spent}};
  CHECK(says(report,
             "Format: auto timed products in 1 of 3 formats and took csr-omp. It is the fastest "
             "with exchange, which was tried last. dia left out: set-up budget spent\n"));
  report.kernel->candidates[1].seconds = 1.1e-3;
  CHECK(says(report,
             "in 2 of 3 formats and took csr-omp, 1.1 ms per product. It is the fastest "
             "with exchange, which was tried last. dia left out"));
  report.kernel->candidates[1] = refused_format("csr-omp", "pads too much");
  CHECK(says(report, "Format: csr-omp, without a comparison. csr-omp left out: pads too much"));
}

TEST_CASE("The floor is the bytes over the measured bandwidth") {
  RunReport report = complete_report();
  report.kernel->device = "gpu";
  report.kernel->bytes = 1'000'000'000;
  report.performance->read_bandwidth_gbytes = 1000;
  CHECK(says(report, "Its floor is 1 ms (80 %): 1 GB at the measured read bandwidth of 1 TB/s."));
  CHECK(says(report, "What is left, 230 us (18.4 %), is launches, latency, and reading below"));
  report.kernel->bytes = 2'000'000'000;
  CHECK(says(report, "caches serve a part of the bytes"));
  report.performance->read_bandwidth_gbytes.reset();
  CHECK(says(report, "The floor is not known: ranks share a GPU"));
}

TEST_CASE("What a machine file expects") {
  RunReport report = complete_report();
  report.expected.emplace();
  report.expected->machine = "machine.json";
  report.expected->seconds = 1e-3;
  report.expected->local_seconds = 9e-4;
  report.expected->exposed_seconds = 1e-4;
  CHECK(says(report, "of GPUs only.\n  A product moves"));
  CHECK(says(report, "From machine.json, a product is expected to take 1 ms: its rows 900 us"));
}

TEST_CASE("The fastest of several combinations") {
  RunReport report = complete_report();
  report.kernel->candidates.clear();
  report.halo->candidates.clear();
  report.cases = {
      {"rows", "csr", "mpi", false, 2e-3, 1e-5, 0.5, 7, Outcome::slower, "", 0, 1.5e-3, 2.5e-3},
      {"rows", "sell", "p2p", true, 1e-3, 1e-5, 0.5, 7, Outcome::chosen, "", 0, 0.9e-3, 1.1e-3},
      {"rows", "ell", "p2p", true, 5e-4, 1e-5, 2, 7, Outcome::wrong, "y differs"},
      {"rows", "dia", "", false, {}, {}, 0, 0, Outcome::refused, "pads too much"}};
  CHECK(says(report,
             "Of 2 combinations the winner is sell with p2p in a graph, 1 ms per product; "
             "csr with mpi, 2.00 times as long, significant:"));
  report.cases[0].median_low_seconds = 1.05e-3;
  CHECK(says(report, "2.00 times as long, not significant:"));
  report.cases[1].partition = "metis";
  CHECK(says(report, "the winner is sell with p2p in a graph on partition metis, 1 ms"));
  CHECK_FALSE(says(report, "Partition: rows, as named"));
  CHECK_FALSE(says(report, "Format:"));
  CHECK_FALSE(says(report, "Transport:"));
}

TEST_CASE("An iteration of a solver") {
  RunReport report = complete_report();
  report.timing.reset();
  SolverReport solver;
  solver.method = "cg";
  solver.iteration_seconds = 1e-3;
  solver.bytes = 500'000'000;
  report.solvers = {solver};
  CHECK(says(report, "An iteration of cg takes 1 ms.\n"));
  CHECK(says(report, "no read bandwidth was measured. It moves 500 MB, which is 500 GB/s."));
  report.solvers[0].floor_seconds = 8e-4;
  report.solvers[0].floor_share = 0.8;
  report.solvers[0].phases = {6e-4, 5e-5, 2e-4, 1e-4};
  CHECK(says(report, "Its floor is 800 us (80 %): 500 MB at the measured read bandwidth.\n"));
  CHECK(
      says(report, "Timed one by one, the product takes 600 us, of which the exchange adds 50 us"));
  report.solvers[0].iteration_seconds.reset();
  CHECK_FALSE(says(report, "Where the time goes"));
}

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

TEST_CASE("The table") {
  CHECK(table_of(complete_report()) == R"(
Matrix
  source              a "b",c
  size                1 000 000 x 500, 12 345 678 nonzeros
  kind                real general, blocks of 3
  nonzeros per row    min 0, mean 12.3457, max 27, deviation 1.5
  fingerprint         0xfedcba9876543210

Partition
  name                nnz, 3 ranks
  rows per rank       min 333 333, mean 333 333, max 333 334
  nonzeros per rank   min 1, mean 2, max 3, imbalance 1.25
  edge cut            4 321 nonzeros

Halo
  transport           mpi, overlap
  neighbours          mean 1.5, max 2; 4 messages per product
  sent per product    123.5 kB, at most 65.54 kB per rank
  boundary rows       777
  transports  per product     exposed
    mpi            1.5 ms       20 us  fastest
    nccl graph          -           -  no GPU

Kernel
  format              sell, boundary csr, cpu, fp32
  chosen              sigma=256
  work per product    148.1 MB, 24 691 356 flops
  footprint           100 MB beside the CSR arrays
  set-up              250 ms
  choice              375 ms, as long as 300 products
  formats    per product      set-up
    sell         1.25 ms      125 ms  fastest
    ell                -           -  pads too much

Set-up
  read                1.5 s
  partition, plan     250 ms, 125 ms
  convert, upload     250 ms into the format, 0 s to the device
  memory per rank     at most 2.5 GB, reading 1.2 GB

Timing
  time per product    median 1.25 ms, min 1.125 ms, 95th percentile 1.5 ms
  batches             20 of 16 products
  phases              pack 1 us, wait for ghosts 200 us, interior 900 us, boundary 350 us
  exposed halo        20 us
  rate                19.75 GF/s, 118.5 GB/s (bytes of CSR)

Validation
  petsc               passed, 1 000 000 rows, largest error 0.125 of its bound in row 42
  petsc per product   2.5 ms, 2 times ours
  y_hash              0x0123456789abcdef

)");
}

TEST_CASE("The table of info") {
  RunReport report = info_report();
  report.halo.reset();
  report.kernel.reset();
  report.timing.reset();
  report.validation.reset();
  CHECK(table_of(report) == R"(
Matrix
  source              a "b",c
  size                1 000 000 x 500, 12 345 678 nonzeros
  kind                real general, blocks of 3
  grid                100 x 50 x 2
  nonzeros per row    min 0, mean 12.3457, max 27, deviation 1.5
  fingerprint         0xfedcba9876543210

Row lengths
  entries per row                     rows    share            nonzeros    share
  0                                400 000   40.0 %                   0    0.0 %
  2 - 3                            600 000   60.0 %          12 345 678  100.0 %

Pattern and values
  empty rows          400 000
  distance |i - j|    at most 499 (bandwidth), mean 2.5
  diagonal            123 of 500 entries stored
  symmetric           pattern yes, values skew-symmetric
  values              0.5 to 2 in absolute value
  distinct values     > 256
  special values      1 zeros stored, 2 NaN, 3 infinite

Partitions
  for                 3 ranks on 2 nodes, nodes first
               most / mean    edges      halo      most               messages    predicted
  name      entries   rows      cut    in all  per rank  neighbours     in+out  per product     took
  rows         1.25    1.5   10.0 %      8 kB      4 kB       1.5/2        3+4         2 ms   500 ms
  box       --partition box: this matrix has no grid; use metis
  most / mean: imbalance over the ranks; halo: entries of x sent per product;
  neighbours per rank: mean/most; messages: inside + between nodes

Partition
  name                nnz, 3 ranks
  rows per rank       min 333 333, mean 333 333, max 333 334
  nonzeros per rank   min 1, mean 2, max 3, imbalance 1.25
  edge cut            4 321 nonzeros

Memory per rank, predicted
  largest rank        333 334 rows, 3 nonzeros, 77 ghosts
  host                5 GB while reading and partitioning, 4 GB with a product on the CPU
  device              3 GB: does not fit 2 GB

This run
  read                1.5 s
  memory per rank     at most 2.5 GB

)");
  report.matrix.fingerprint.reset();
  report.info->statistics.reset();
  report.info->exact_nonzeros = false;
  report.info->need.device_capacity_bytes.reset();
  report.info->need.fits.reset();
  const std::string dry = table_of(report);
  CHECK(dry.find("1 000 000 x 500, about 12 345 678 nonzeros\n") != std::string::npos);
  CHECK(dry.find("nonzeros per row    mean 12.3457\n") != std::string::npos);
  CHECK(dry.find("fingerprint") == std::string::npos);
  CHECK(dry.find("3 GB on a GPU (--device-memory GB says") != std::string::npos);
}

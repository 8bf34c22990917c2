// SPDX-License-Identifier: BSD-3-Clause
//
// Fixed reports for the tests of the writers, and what the writers make of a report as text.
#pragma once

#include <sstream>
#include <string>

#include "io/report/writers.hpp"

namespace rowhalo {

inline FormatCandidate refused_format(const std::string& name, const std::string& refusal) {
  return {name, {}, {}, Outcome::refused, {.refusal = refusal}};
}

inline RunReport minimal_report() {
  RunReport report;
  report.command = "info";
  report.argv = {"rowhalo", "info"};
  report.status = RunStatus::interrupted;
  report.verdict = "interrupted by SIGTERM";
  report.provenance.version = "0.1.0";
  report.matrix = {{"a.mtx", 0, 0, "pattern", "symmetric", 1, {}}, 0, 0, {}, 0};
  return report;
}

inline RunReport complete_report() {
  RunReport report;
  report.command = "run";
  report.argv = {"rowhalo", "run", "--matrix", "a \"b\",c"};
  report.verdict = "validated against petsc";
  report.provenance = {"0.1.0",
                       "abc1234",
                       "g++ 12.2",
                       "-O3",
                       "Open MPI 4.1.4",
                       "12.4",
                       "2.20",
                       "3.18",
                       "1.10",
                       {"n1", "n1", "n2"},
                       {"cpu", "cpu", "cpu"},
                       "2026-01-02T03:04:05Z"};
  report.matrix = {{"a \"b\",c", 1000000, 500, "real", "general", 3, {}},
                   12345678,
                   0xfedcba9876543210,
                   {0, 12.345678, 27},
                   1.5};
  report.partition = PartitionReport{"nnz", 3, {333333, 333333.3, 333334, 1, 2, 3, 1.25, 4321}};
  report.halo = HaloReport{"mpi",
                           "overlap",
                           {1.5, 2, 4, 30864, 16384, 777},
                           {},
                           {},
                           4,
                           {{"mpi", false, 1.5e-3, 2e-5, Outcome::chosen},
                            {"nccl", true, {}, {}, Outcome::refused, "no GPU"}}};
  report.kernel = KernelReport{
      "sell",
      "csr",
      "cpu",
      Precision::fp32,
      148148136,
      24691356,
      99999999,
      0.25,
      {{"sell", 1.25e-3, 0.125, Outcome::chosen}, refused_format("ell", "pads too much")},
      ChoiceCost{0.375, 300},
      "sigma=256"};
  report.setup = {1.5, 0.25, 0.125, 0.25, 0};
  report.memory = {2500000000, 0, 1200000000};
  report.timing = TimingReport{20, 16, 1.25e-3, 1.125e-3, 1.5e-3, {1e-6, 2e-4, 9e-4, 3.5e-4}, 2e-5};
  report.performance = PerformanceReport{19.75, 118.5, std::nullopt, std::nullopt};
  report.validation =
      ValidationReport{Against::petsc, true, 0.125, 42, 1000000, 0x123456789abcdef, 2.5e-3, ""};
  return report;
}

/// What `kernels` writes: one format measured, one refused.
inline RunReport kernels_report() {
  RunReport report = complete_report();
  report.command = "kernels";
  report.partition.reset();
  report.halo.reset();
  report.kernel.reset();
  report.bandwidth = {4500, 4250, 4100};
  report.setup.coo_to_csr_seconds = 0.0125;
  FormatReport sell;
  sell.name = "sell";
  sell.seconds = 6.5e-4;
  sell.graph_seconds = 6.25e-4;
  sell.cold_seconds = 7e-4;
  sell.bytes = 2600000000;
  sell.footprint_bytes = 2500000000;
  sell.gflops = 680;
  sell.gbytes_per_second = 4250;
  sell.share_of_read_bandwidth = 0.96;
  sell.parameters = "unroll=9";
  sell.bytes_per_nonzero = 12.25;
  sell.padding = 0.01;
  sell.coalescing = 1;
  sell.balance = 0.99;
  sell.setup_seconds = 9e-3;
  sell.setup_products = 14;
  sell.refill_seconds = 1.5e-3;
  sell.refill_products = 2.4;
  sell.max_error_ratio = 0.125;
  FormatReport ell;
  ell.name = "ell";
  ell.outcome = Outcome::refused;
  ell.reason = "pads too much, so \"sell\" is better";
  FormatReport chosen = sell;
  chosen.name = "auto";
  chosen.parameters = "format=sell,unroll=9";
  chosen.candidates = complete_report().kernel->candidates;
  report.formats = {sell, chosen, ell};
  return report;
}

/// The sections that only `info` has.
inline RunReport info_report() {
  RunReport report = complete_report();
  report.command = "info";
  InfoReport& info = report.info.emplace();
  info.ranks = 3;
  info.nodes = 2;
  info.hierarchical = true;
  info.grid = {100, 50, 2};
  info.statistics = MatrixStatistics{{{0, 0, 400000, 0}, {1, 1, 0, 0}, {2, 3, 600000, 12345678}},
                                     400000,
                                     499,
                                     2.5,
                                     123,
                                     true,
                                     ValueSymmetry::skew,
                                     0.5,
                                     2,
                                     std::nullopt,
                                     1,
                                     2,
                                     3};
  info.partitions = {
      {"rows", PartitionNumbers{1.25, 1.5, 1234567, 1000, 8000, 4000, 1.5, 2, 3, 4, 400, 2e-3}, 0.5,
       Outcome::chosen},
      {"box",
       {},
       0,
       Outcome::refused,
       {.refusal = "--partition box: this matrix has no grid; use metis"}}};
  info.need = {333334,        3,     77, 5'000'000'000, 4'000'000'000, 3'000'000'000,
               2'000'000'000, false, ""};
  report.communication = CommunicationReport{"rows", 3, {0, 0, 1}, 4, {{0, 1, 5}, {2, 0, 7}}};
  return report;
}

/// A machine that two ranks measured, in round numbers.
inline NetworkReport sample_machine() {
  NetworkReport machine;
  machine.device = "cpu";
  machine.ranks = 2;
  machine.reading = {{1'000'000, 1e-5, 1e-5}, {100'000'000, 1e-2, 5e-3}};
  machine.product = {1e-6, 1e-9, 1e-10, 2e-9};
  machine.links = {
      {"same node", "mpi", false, 2, {{8, 1e-6}, {1'000'000, 1e-3}}, std::nullopt, std::nullopt},
      {"same node", "mpi-shared", false, 2, {{8, 5e-7}, {1'000'000, 2e-3}}, 1e-3, 2e-7}};
  return machine;
}

inline RunReport network_report() {
  RunReport report;
  report.command = "network";
  report.argv = {"rowhalo", "network"};
  report.verdict = "2 links measured, in machine.json";
  report.network = sample_machine();
  return report;
}

inline std::string table_of(const RunReport& report) {
  std::ostringstream out;
  write_table(out, report, false);
  return out.str();
}

inline std::string lines_of(const RunReport& report) {
  std::ostringstream out;
  write_fom_lines(out, report);
  write_result_line(out, report, false);
  return out.str();
}

}  // namespace rowhalo

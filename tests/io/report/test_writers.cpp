// SPDX-License-Identifier: BSD-3-Clause
//
// The writers of a report: exact text for a fixed report. The two JSON files are left in the
// working directory for check_schema.py.
#include "io/report/writers.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "partition/base/errors.hpp"
#include "tests/catch.hpp"
#include "tests/io/file_contents.hpp"
#include "tests/io/sample_reports.hpp"

using namespace rowhalo;

TEST_CASE("The table of a conversion") {
  RunReport report = minimal_report();
  report.setup.read_seconds = 2;
  report.memory.peak_bytes_max_rank = 1000;
  report.output = OutputReport{"b.petsc", 3000000, 4000000, 0.5};
  const std::string table = table_of(report);
  CHECK(table.substr(table.find("Conversion")) == R"(Conversion
  read                2 s, 3 MB, 1.5 MB/s
  written             500 ms, 4 MB, 8 MB/s
  to                  b.petsc
  memory per rank     at most 1 kB

)");
  report.output->read_bytes = 0;
  CHECK(table_of(report).find("  read                2 s, generated\n") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["output"]["path"] == "b.petsc");
  CHECK(json["output"]["bytes"] == 4000000);
  write_text_file("report_convert.json", to_json(report));  // for check_schema.py
}

TEST_CASE("What auto made of the partition") {
  RunReport report = complete_report();
  report.partition->nodes = 2;
  report.partition->hierarchical = true;
  report.partition->reorder = "rcm";
  report.partition->candidates = info_report().info->partitions;
  report.halo->planned_between_nodes = {3, 1000};
  report.halo->sent_between_nodes = {3, 1000};
  const std::string table = table_of(report);
  CHECK(table.find("  name                nnz (predicted), 3 ranks on 2 nodes, nodes first, "
                   "rcm on each rank\n") != std::string::npos);
  CHECK(table.find("  between nodes       4 kB in 3 messages\n") != std::string::npos);
  report.halo->sent_between_nodes = {2, 400};
  CHECK(table_of(report).find(
            "  between nodes       4 kB in 3 messages; sent: 1.6 kB in 2 messages\n") !=
        std::string::npos);
  const std::string of_info = table_of(info_report());
  const std::string list = of_info.substr(of_info.find("  name      entries"), 300);
  CHECK(table.find(list) != std::string::npos);
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["partition"]["hierarchical"] == true);
  CHECK(json["partition"]["nodes"] == 2);
  CHECK(json["partition"]["reorder"] == "rcm");
  const auto of_info_json = nlohmann::json::parse(to_json(info_report()));
  CHECK(json["partition"]["candidates"] == of_info_json["info"]["partitions"]);
  CHECK(json["halo"]["bytes_between_nodes"] == 4000);
  CHECK(json["halo"]["sent_between_nodes"] == nlohmann::json{{"messages", 2}, {"bytes", 1600}});
  write_text_file("report_auto_partition.json", to_json(report));  // for check_schema.py
}

TEST_CASE("The communication matrix as text") {
  CHECK(communication_text(*info_report().communication) ==
        "from to entries bytes\n0 1 5 20\n2 0 7 28\n");
}

TEST_CASE("The table has colours only when asked") {
  CHECK(table_of(complete_report()).find('\033') == std::string::npos);
  std::ostringstream colored;
  write_table(colored, complete_report(), true);
  CHECK(colored.str().find("\033[1mMatrix\033[0m") != std::string::npos);
}

TEST_CASE("The first lines of a run") {
  std::ostringstream out;
  write_header(out, complete_report().provenance, false);
  CHECK(out.str() ==
        "Rowhalo 0.1.0 (abc1234), started 2026-01-02T03:04:05Z\n"
        "3 ranks; hosts: n1 (2), n2 (1); devices: cpu (3)\n");
}

TEST_CASE("FOM and RESULT lines") {
  RunReport report = complete_report();
  CHECK(lines_of(report) ==
        "FOM: spmv_median_seconds 0.00125 s\n"
        "FOM: spmv_gflops 19.75 GF/s\n"
        "FOM: spmv_gbytes 118.5 GB/s\n"
        "FOM: halo_exposed_seconds 2e-05 s\n"
        "FOM: setup_seconds 2.125 s\n"
        "RESULT: PASS validated against petsc\n");
  report.validation->passed = false;
  CHECK(lines_of(report).find("RESULT: FAIL ") != std::string::npos);
  report.validation->against = Against::none;
  CHECK(lines_of(report).find("RESULT: PASS ") != std::string::npos);
  report.status = RunStatus::failed;
  CHECK(lines_of(report).find("RESULT: FAIL ") != std::string::npos);
  CHECK(lines_of(minimal_report()) == "RESULT: FAIL interrupted by SIGTERM\n");
}

TEST_CASE("Rows that no bound can check stand in the table and in JSON") {
  RunReport report = complete_report();
  report.validation->rows_unchecked = 1234;
  CHECK(table_of(report).find("passed, 1 000 000 rows, 1 234 unchecked, largest error") !=
        std::string::npos);
  CHECK(nlohmann::json::parse(to_json(report))["validation"]["rows_unchecked"] == 1234);
  report = kernels_report();
  report.formats[0].rows_unchecked = 3;
  CHECK(table_of(report).find("  unchecked rows: 3\n") != std::string::npos);
  CHECK(nlohmann::json::parse(to_json(report))["formats"][0]["rows_unchecked"] == 3);
  report = complete_report();
  report.cases = {{"rows", "dia", "mpi", false, 1e-3, 1e-5, 0.5, 7, Outcome::chosen, "", 2}};
  CHECK(table_of(report).find("  unchecked rows: 2\n") != std::string::npos);
  CHECK(nlohmann::json::parse(to_json(report))["cases"][0]["rows_unchecked"] == 2);
}

TEST_CASE("JSON holds every number where the contract has it") {
  const auto json = nlohmann::json::parse(to_json(complete_report()));
  CHECK(json["schema_version"] == 1);
  CHECK(json["command"] == "run");
  CHECK(json["argv"][3] == "a \"b\",c");
  CHECK(json["status"] == "ok");
  CHECK(json["provenance"]["nccl"] == "2.20");
  CHECK(json["provenance"]["hosts"].size() == 3);
  CHECK(json["matrix"]["fingerprint"] == "0xfedcba9876543210");
  CHECK(json["matrix"]["row_length"]["mean"] == 12.345678);
  CHECK(json["matrix"]["row_length"]["stddev"] == 1.5);
  CHECK(json["partition"]["rows"]["max"] == 333334);
  CHECK(json["partition"]["edge_cut"] == 4321);
  CHECK(json["halo"]["neighbors"] == nlohmann::json{{"mean", 1.5}, {"max", 2.0}});
  CHECK(json["halo"]["candidates"][0]["exposed_seconds"] == 2e-5);
  CHECK(json["halo"]["candidates"][1]["seconds"].is_null());
  CHECK(json["halo"]["candidates"][1]["graph"] == true);
  CHECK(json["halo"]["candidates"][1]["outcome"] == "refused");
  CHECK(json["kernel"]["precision"] == "fp32");
  CHECK(json["kernel"]["footprint_bytes"] == 99999999);
  CHECK(json["kernel"]["choice_seconds"] == 0.375);
  CHECK(json["kernel"]["choice_products"] == 300);
  CHECK(json["kernel"]["candidates"][0]["setup_seconds"] == 0.125);
  CHECK(json["kernel"]["candidates"][1]["setup_seconds"].is_null());
  CHECK(json["kernel"]["candidates"][0]["outcome"] == "chosen");
  CHECK(json["kernel"]["candidates"][1]["outcome"] == "refused");
  CHECK(json["kernel"]["candidates"][1]["reason"] == "pads too much");
  CHECK(json["setup"]["plan_seconds"] == 0.125);
  CHECK(json["memory"]["peak_bytes_max_rank"] == 2500000000);
  CHECK(json["memory"]["read_peak_bytes_max_rank"] == 1200000000);
  CHECK(json["timing"]["phases"]["interior"] == 9e-4);
  CHECK(json["timing"]["p95_seconds"] == 1.5e-3);
  CHECK(json["performance"]["share_of_read_bandwidth"].is_null());
  CHECK(json["validation"]["y_hash"] == "0x0123456789abcdef");
  CHECK(json["validation"]["petsc_seconds"] == 2.5e-3);
  CHECK(json["validation"]["worst_row"] == 42);
}

TEST_CASE("JSON of kernels: what auto considered stands in its row alone") {
  const auto formats = nlohmann::json::parse(to_json(kernels_report()))["formats"];
  CHECK(formats[0]["candidates"].empty());
  CHECK(formats[1]["name"] == "auto");
  CHECK(formats[1]["candidates"][0]["name"] == "sell");
  CHECK(formats[1]["candidates"][0]["setup_seconds"] == 0.125);
  CHECK(formats[0]["outcome"] == "compared");
  CHECK(formats[2]["outcome"] == "refused");
  CHECK(formats[2]["passed"] == true);
}

TEST_CASE("JSON of info") {
  const auto json = nlohmann::json::parse(to_json(info_report()));
  const auto& info = json["info"];
  CHECK(info["dry"] == false);
  CHECK(info["grid"] == nlohmann::json{100, 50, 2});
  CHECK(info["statistics"]["row_lengths"][2]["nonzeros"] == 12345678);
  CHECK(info["statistics"]["symmetry"] == "skew-symmetric");
  CHECK(info["statistics"]["distinct_values"].is_null());
  CHECK(info["partitions"][0]["halo_bytes_max_rank"] == 4000);
  CHECK(info["partitions"][0]["messages_between_nodes"] == 4);
  CHECK(info["partitions"][1]["usable"] == false);
  CHECK(info["partitions"][1]["halo_bytes"].is_null());
  CHECK(info["need"]["fits"] == false);
  CHECK(json["communication"]["node_of_rank"] == nlohmann::json{0, 0, 1});
  CHECK(json["communication"]["flows"][1] ==
        nlohmann::json{{"from", 2}, {"to", 0}, {"entries", 7}, {"bytes", 28}});
  CHECK(nlohmann::json::parse(to_json(complete_report()))["info"].is_null());
}

TEST_CASE("JSON: what was not measured, and what is not finite, is null") {
  const auto json = nlohmann::json::parse(to_json(minimal_report()));
  CHECK(json["status"] == "interrupted");
  for (const char* section : {"partition", "halo", "kernel", "timing", "performance", "validation",
                              "info", "communication"}) {
    CHECK(json.at(section).is_null());
  }
  CHECK(json["provenance"]["cuda"].is_null());
  RunReport report = complete_report();
  report.validation->max_error_ratio = std::numeric_limits<double>::infinity();
  report.validation->worst_row = -1;
  report.timing->min_seconds = std::numeric_limits<double>::quiet_NaN();
  const auto infinite = nlohmann::json::parse(to_json(report));
  CHECK(infinite["validation"]["max_error_ratio"].is_null());
  CHECK(infinite["validation"]["worst_row"].is_null());
  CHECK(infinite["timing"]["min_seconds"].is_null());
  CHECK(table_of(report).find("largest error inf of its bound\n") != std::string::npos);
}

TEST_CASE("JSON survives bytes that are no UTF-8") {
  RunReport report = complete_report();
  report.argv = {"\xff\xfe"};
  CHECK_NOTHROW(nlohmann::json::parse(to_json(report)));
}

TEST_CASE("CSV has the same columns for every run") {
  const auto split = [](const std::string& csv) {
    const std::size_t line = csv.find('\n');
    return std::pair{csv.substr(0, line), csv.substr(line + 1)};
  };
  const auto [names, fields] = split(to_csv(complete_report()));
  const auto [minimal_names, minimal_fields] = split(to_csv(minimal_report()));
  CHECK(split(to_csv(info_report())).first == names);
  CHECK(split(to_csv(info_report())).second.find(",\"[100,50,2]\",") != std::string::npos);
  CHECK(names == minimal_names);
  CHECK(names.starts_with("schema_version,command,status,verdict,provenance.version,"));
  CHECK(names.find("matrix.row_length.stddev,transposed,vectors,layout,partition.name,") !=
        std::string::npos);
  CHECK(names.find("candidates") == std::string::npos);
  CHECK(fields.starts_with("1,run,ok,validated against petsc,0.1.0,abc1234,"));
  CHECK(fields.find(",\"a \"\"b\"\",c\",1000000,500,12345678,") != std::string::npos);
  CHECK(fields.find(",0.125,42,1000000,0,0x0123456789abcdef,0.0025,") != std::string::npos);
  CHECK(std::count(names.begin(), names.end(), ',') ==
        std::count(minimal_fields.begin(), minimal_fields.end(), ','));
  CHECK(minimal_fields.ends_with(",,,,,,,,\n"));
}

TEST_CASE("Text files appear whole, and failures name them") {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("rowhalo-text-" + std::to_string(getpid()));
  std::filesystem::create_directory(directory);
  const std::string path = (directory / "a.json").string();
  write_text_file(path, "old and long");
  write_text_file(path, "new");
  CHECK(contents(path) == "new");
  CHECK(std::distance(std::filesystem::directory_iterator(directory), {}) == 1);
  CHECK_NOTHROW(check_text_target(path, "--json"));
  CHECK_NOTHROW(check_text_target("-", "--json"));
  CHECK_NOTHROW(write_text_file("/dev/null", "gone"));
  CHECK(std::filesystem::is_character_file("/dev/null"));

  const std::string missing = (directory / "no" / "a.json").string();
  CHECK_THROWS_WITH(check_text_target(missing, "--json"),
                    "--json " + missing + ": there is no directory '" +
                        (directory / "no").string() + "/'; make it first");
  CHECK_THROWS_WITH(check_text_target(directory.string(), "--csv"),
                    "--csv " + directory.string() + ": is a directory; name a file in it");
  try {
    write_text_file(missing, "x");
    FAIL("writing into a missing directory succeeded");
  } catch (const InputError& error) {
    CHECK(error.code() == ExitCode::run_time);
    CHECK(std::string(error.what()).starts_with(missing + ": cannot be written: "));
  }
  std::filesystem::remove_all(directory);
}

TEST_CASE("Reports for check_schema.py") {
  CHECK_NOTHROW(write_text_file("report_complete.json", to_json(complete_report())));
  CHECK_NOTHROW(write_text_file("report_info.json", to_json(info_report())));
  CHECK_NOTHROW(write_text_file("report_network.json", to_json(network_report())));
  CHECK_NOTHROW(write_text_file("report_minimal.json", to_json(minimal_report())));
  CHECK_NOTHROW(write_text_file("report_kernels.json", to_json(kernels_report())));
}

TEST_CASE("Reports of kernels: a line a format in CSV, two tables for people") {
  const RunReport report = kernels_report();
  std::istringstream lines(to_csv(report));
  std::string names, sell, chosen, ell, more;
  std::getline(lines, names);
  std::getline(lines, sell);
  std::getline(lines, chosen);
  std::getline(lines, ell);
  CHECK_FALSE(std::getline(lines, more));
  CHECK(names.rfind("name,baseline,seconds,graph_seconds,", 0) == 0);
  CHECK(sell.rfind("sell,false,0.00065,0.000625,", 0) == 0);
  CHECK(chosen.rfind("auto,false,0.00065,0.000625,", 0) == 0);
  CHECK(ell.rfind("ell,false,,,", 0) == 0);
  CHECK(ell.find("\"pads too much, so \"\"sell\"\" is better\"") != std::string::npos);
  CHECK(std::count(names.begin(), names.end(), ',') == std::count(sell.begin(), sell.end(), ','));

  const std::string table = table_of(report);
  for (const char* part :
       {"in graph       cold", "625 us     700 us", "96.0 %", "unroll=9",
        "COO to CSR          12.5 ms on the device", "B/nonzero", "refill  chosen",
        "12.25     1.0 %     100.0 %    99.0 %", "2.4  unroll=9", "format=sell,unroll=9",
        "How auto chose\n  formats    per product      set-up\n"}) {
    INFO(part << " in\n" << table);
    CHECK(table.find(part) != std::string::npos);
  }
}

TEST_CASE("What disturbed a run") {
  RunReport report = complete_report();
  CHECK(table_of(report).find("disturbed") == std::string::npos);
  report.halo->poison = true;
  CHECK(table_of(report).find("  disturbed           ghosts poisoned; times mean little\n") !=
        std::string::npos);
  report.halo->jitter_seconds = 5e-6;
  CHECK(table_of(report).find(
            "  disturbed           ghosts poisoned, delays up to 5 us; times mean little\n") !=
        std::string::npos);
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["halo"]["poison"] == true);
  CHECK(json["halo"]["jitter_seconds"] == 5e-6);
}

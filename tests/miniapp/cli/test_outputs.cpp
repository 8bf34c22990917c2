// SPDX-License-Identifier: BSD-3-Clause
//
// Outputs that fail on one rank or on all: the exit status, and what is written all the same.
#include "miniapp/cli/outputs.hpp"
#include "tests/io/shared_file.hpp"

using namespace rowhalo;

namespace {

InputError failure() {
  return InputError("disk full", 0, ExitCode::run_time);
}

RunReport finished_report() {
  RunReport report;
  report.verdict = "fine";
  return report;
}

}  // namespace

TEST_CASE("The exit status counts lost outputs after a wrong y", "[outputs]") {
  const RunOptions options;
  Outputs kept(options, world()), lost(options, world());
  kept.attempt("--save-y", [] {});
  lost.attempt("--save-y", [] {
    agree(world(), [] {
      if (world().rank == world().size - 1) throw failure();
    });
  });
  RunReport first = finished_report(), second = finished_report(), third = finished_report();
  REQUIRE_ALL_RANKS(kept.finish(first, ExitCode::fine) == ExitCode::fine);
  REQUIRE_ALL_RANKS(first.verdict == "fine");
  REQUIRE_ALL_RANKS(kept.finish(first, ExitCode::validation) == ExitCode::validation);
  REQUIRE_ALL_RANKS(lost.finish(second, ExitCode::fine) == ExitCode::run_time);
  REQUIRE_ALL_RANKS(second.verdict == "fine; not written: --save-y");
  REQUIRE_ALL_RANKS(lost.finish(third, ExitCode::validation) == ExitCode::validation);
}

TEST_CASE("Outputs after one that failed are written", "[outputs]") {
  const SharedDirectory directory;
  RunOptions options;
  options.quiet = true;
  options.json = directory.path("no/r.json");
  options.csv = directory.path("r.csv");
  Outputs outputs(options, world());
  outputs.write_report(finished_report(), "");
  RunReport report = finished_report();
  REQUIRE_ALL_RANKS(outputs.finish(report, ExitCode::fine) == ExitCode::run_time);
  REQUIRE_ALL_RANKS(report.verdict == "fine; not written: --json");
  REQUIRE_ALL_RANKS(contents(options.csv).starts_with("schema_version"));
}

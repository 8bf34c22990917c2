// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/bench/describe.hpp"

#include <chrono>
#include <sstream>
#include <thread>

#include "io/report/writers.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

void wait() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace

TEST_CASE("Phases of one name add up, in the order of their beginnings") {
  Progress progress;
  for (const char* phase : {"read", "validate", "read"}) {
    progress.phase(phase);
    wait();
  }
  const std::vector<PhaseTime> times = progress.times();
  REQUIRE(times.size() == 3);
  CHECK(std::string(times[0].phase) == "start");
  CHECK(std::string(times[1].phase) == "read");
  CHECK(times[1].seconds >= 0.04);
  CHECK(std::string(times[2].phase) == "validate");
  CHECK(times[2].seconds >= 0.02);
}

TEST_CASE("Wall clock time is that of the process, and all of it belongs somewhere") {
  Progress progress;
  for (const char* phase :
       {"generate", "partition: nnz", "choose transport", "measure", "upload"}) {
    progress.phase(phase);
    wait();
  }
  const WallReport wall = wall_of(progress);
  for (const double part : {wall.read, wall.partition, wall.choose, wall.measure, wall.other}) {
    CHECK(part >= 0.02);
  }
  CHECK(wall.validate == 0);
  CHECK(wall.write == 0);
  const double sum = wall.start + wall.read + wall.partition + wall.choose + wall.measure +
                     wall.validate + wall.write + wall.other;
  CHECK(std::abs(sum - wall.seconds) <= 1e-9);
  CHECK(wall.seconds >= 0.1);
}

TEST_CASE("The table names the parts that took a hundredth or more") {
  RunReport report;
  const auto table_of = [](const RunReport& one) {
    std::ostringstream table;
    write_table(table, one, false);
    return table.str();
  };
  CHECK(table_of(report).find("Wall clock") == std::string::npos);
  report.wall = {.seconds = 5, .start = 1.5, .choose = 2.25, .write = 0.01, .other = 1.24};
  const std::string table = table_of(report);
  CHECK(table.substr(table.find("Wall clock")) == R"(Wall clock
  rank 0              5 s: start 1.5, choose 2.2, other 1.2

)");
}

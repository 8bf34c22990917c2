// SPDX-License-Identifier: BSD-3-Clause
//
// What the progress line says, and how long it thinks that a phase will take on.
#include "miniapp/process/progress_line.hpp"

#include "partition/base/progress.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

TEST_CASE("The time left follows from the share that is done") {
  TimeLeft left;
  CHECK_FALSE(left.seconds("read", 0, 0, 100));
  CHECK_FALSE(left.seconds("read", 0.1, 0, 101));     // too early
  CHECK_FALSE(left.seconds("read", 0.01, 0, 102.5));  // less is done: another piece of work
  CHECK_FALSE(left.seconds("read", 0.02, 0, 105));    // next to nothing is done
  CHECK(left.seconds("read", 0.26, 0, 107.5).value() == Approx(5 * 0.74 / 0.25));
  CHECK(left.seconds("read", 1, 0, 120).value() == Approx(0).margin(1e-12));
  CHECK_FALSE(left.seconds("assemble", -1, 0, 121));
  CHECK_FALSE(left.seconds("assemble", -1, 0, 130));
}

TEST_CASE("A share that comes later is measured from then on") {
  TimeLeft left;
  CHECK_FALSE(left.seconds("generate", -1, 0, 0));
  CHECK_FALSE(left.seconds("generate", 0, 0, 50));
  CHECK(left.seconds("generate", 0.5, 0, 60).value() == Approx(10));
}

TEST_CASE("Without a share, what the phase expects to take") {
  TimeLeft left;
  CHECK_FALSE(left.seconds("partition: metis", -1, 12, 0));
  CHECK(left.seconds("partition: metis", -1, 12, 3).value() == Approx(9));
  CHECK_FALSE(left.seconds("partition: metis", -1, 12, 15));  // longer than expected
  Progress progress;
  progress.expect_seconds(12);
  CHECK(progress.expected_seconds() == 12);
  progress.phase("next");
  CHECK(progress.expected_seconds() == 0);
}

TEST_CASE("The line") {
  CHECK(progress_text("plan", -1, std::nullopt) == "plan ...");
  CHECK(progress_text("read", 0.404, std::nullopt) == "read 40 % ...");
  CHECK(progress_text("read", 0.404, 11.2) == "read 40 %, about 12 s left ...");
  CHECK(progress_text("partition: metis", -1, 200) == "partition: metis, about 4 min left ...");
}

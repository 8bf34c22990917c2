// SPDX-License-Identifier: BSD-3-Clause
//
// What of Catch2 2.13 takes 20 s to compile: once for all test programs.
#define CATCH_CONFIG_RUNNER
#include "tests/catch.hpp"

int run_catch(int argc, char** argv) {
  Catch::Session session;
  session.configData().warnings = Catch::WarnAbout::NoAssertions;  // such a test fails
  return session.run(argc, argv);
}

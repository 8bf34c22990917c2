// SPDX-License-Identifier: BSD-3-Clause
//
// What of Catch2 2.13 takes 20 s to compile: once for all test programs.
#define CATCH_CONFIG_RUNNER
#include "tests/catch.hpp"

int run_catch(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}

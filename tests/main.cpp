// SPDX-License-Identifier: BSD-3-Clause
//
// main of the tests that need no MPI.
#define CATCH_CONFIG_RUNNER
#include "tests/catch.hpp"

int main(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}

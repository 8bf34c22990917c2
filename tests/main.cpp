// SPDX-License-Identifier: BSD-3-Clause
//
// main of the tests that need no MPI.
#include "tests/catch.hpp"

int main(int argc, char** argv) {
  return run_catch(argc, argv);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// main of the tests that need a CUDA device and no MPI. Without a device: exit status 77, which
// ctest and tests/gpu.sh report as skipped.
#include <iostream>

#include "kernels/gpu/device/runtime.hpp"
#include "tests/catch.hpp"

int main(int argc, char** argv) {
  if (rowhalo::device_count() == 0) {
    std::cout << "skipped: no CUDA device on this machine\n";
    return 77;
  }
  return run_catch(argc, argv);
}

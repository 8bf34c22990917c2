// SPDX-License-Identifier: BSD-3-Clause
//
// MPI_Barrier() that rests, for as many milliseconds as ROWHALO_TEST_REST says: a run that lasts
// until it is told to end takes no core from others meanwhile. Short runs do not come to their
// 200th barrier. Loaded before the program by LD_PRELOAD (tests/cli/launch.py), with
// patient_yield.cpp.
#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>

// Of Open MPI the communicator is a pointer, of MPICH an int: either way what a register holds.
extern "C" int MPI_Barrier(std::intptr_t communicator) {
  constexpr int before_rest = 200;
  static const auto barrier =
      reinterpret_cast<int (*)(std::intptr_t)>(dlsym(RTLD_NEXT, "MPI_Barrier"));
  static const char* const rest = std::getenv("ROWHALO_TEST_REST");
  static std::atomic<int> barriers = 0;
  if (rest != nullptr && ++barriers > before_rest) {
    const timespec moment{0, 1'000'000L * std::clamp(std::atoi(rest), 0, 999)};
    nanosleep(&moment, nullptr);
  }
  return barrier(communicator);
}

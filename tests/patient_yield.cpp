// SPDX-License-Identifier: BSD-3-Clause
//
// sched_yield() that sleeps: a rank that waits for others gives its core away for good. Linux lets
// a thread that yields go on at once wherever the others have had their share; with more ranks than
// cores, or beside other work, tests then mostly wait for ranks that wait (142 s instead of 6).
// Linked into tests under mpirun, and loaded before the program by LD_PRELOAD
// (tests/cli/launch.py).
#include <sched.h>
#include <time.h>

extern "C" int sched_yield() noexcept {
  constexpr timespec moment{0, 50'000};
  nanosleep(&moment, nullptr);
  return 0;
}

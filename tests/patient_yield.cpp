// SPDX-License-Identifier: BSD-3-Clause
//
// sched_yield() that sleeps: a rank that waits for others gives its core away for good. Linux lets
// a thread that yields go on at once wherever the others have had their share; with more ranks than
// cores, or beside other work, tests then mostly wait for ranks that wait (142 s instead of 6). It
// sleeps the longer the longer it has waited, by an eighth: waking up is what waiting costs.
// Linked into tests under mpirun, and loaded before the program by LD_PRELOAD
// (tests/cli/launch.py).
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdint>

namespace {

std::int64_t now_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

}  // namespace

extern "C" int sched_yield() noexcept {
  constexpr std::int64_t least = 50'000, most = 2'000'000, work = 20'000;
  thread_local std::int64_t begun = 0, woken = 0;
  const std::int64_t now = now_nanoseconds();
  if (now - woken > work) begun = now;  // something was done in between: another wait
  const timespec moment{0, std::clamp((now - begun) / 8, least, most)};
  nanosleep(&moment, nullptr);
  woken = now_nanoseconds();
  return 0;
}

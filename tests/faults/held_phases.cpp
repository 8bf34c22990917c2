// SPDX-License-Identifier: BSD-3-Clause
//
// Plants a fault at the beginning of a phase, for tests/faults/faults.py. Linked into the
// executable rowhalo_held only, in place of partition/base/progress.cpp: the shipped rowhalo has
// nothing of it.
//   ROWHALO_TEST_HOLD=RANK:PHASE   which rank, and the phase it enters for the first time, or with
//                                  RANK:PHASE:2 for the second
//   ROWHALO_TEST_DO=COMMAND        what it runs then: a command of the shell, whose parent ($PPID)
//   is
//                                  the rank; the rank throws where the command fails
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "miniapp/process/environment.hpp"
#include "partition/base/progress.hpp"

namespace rowhalo {

void Progress::phase(const char* name) {
  enter(name);
  const char* place = std::getenv("ROWHALO_TEST_HOLD");
  const char* command = std::getenv("ROWHALO_TEST_DO");
  if (place == nullptr || command == nullptr) return;
  const std::string here = fmt::format("{}:{}", launched_rank(), name);
  if (place == here + ":2") {
    setenv("ROWHALO_TEST_HOLD", here.c_str(), 1);
    return;
  }
  if (place != here) return;
  unsetenv("ROWHALO_TEST_HOLD");
  if (std::system(command) != 0) {
    throw std::runtime_error(fmt::format("planted fault: {}", command));
  }
}

}  // namespace rowhalo

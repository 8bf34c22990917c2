// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/bench/wall_clock.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace rowhalo {

namespace {

struct Part {
  double WallReport::*seconds;
  std::vector<std::string_view> phases;  ///< or what phases begin with, before ':'
};

const std::vector<Part>& parts() {
  static const std::vector<Part> table{
      {&WallReport::start, {"start", "start CUDA", "start MPI"}},
      {&WallReport::read, {"outline", "read", "assemble", "generate"}},
      {&WallReport::partition,
       {"shuffle", "partition", "partition quality", "rows migrate to their owners",
        "numbering rows and columns", "reordering rows", "partial sums", "halo plan", "plan"}},
      {&WallReport::choose, {"convert", "choose transport"}},
      {&WallReport::measure, {"measure", "measure formats", "measure bandwidth", "trace", "solve"}},
      {&WallReport::validate,
       {"check the symmetry", "solve with PETSc", "check the solution", "validate",
        "validate with PETSc"}},
      {&WallReport::write, {"save y", "write"}},
  };
  return table;
}

double& part_of(WallReport& wall, std::string_view phase) {
  const std::string_view head = phase.substr(0, phase.find(':'));
  for (const Part& part : parts()) {
    if (std::ranges::find(part.phases, head) != part.phases.end()) return wall.*part.seconds;
  }
  return wall.other;
}

/// Seconds since this process was started, to a hundredth; 0 where the system does not say.
double process_age() {
  std::ifstream stat("/proc/self/stat"), uptime("/proc/uptime");
  std::string text;
  double up = 0, started = 0;
  if (!std::getline(stat, text, ')') || !(uptime >> up)) return 0;
  // After the name in brackets, which may hold anything: field 3 on; the start is field 22.
  for (int field = 3; field < 22; ++field) stat >> text;
  if (!(stat >> started)) return 0;
  return up - started / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

WallReport wall_of(const Progress& progress) {
  WallReport wall;
  for (const PhaseTime& time : progress.times()) {
    part_of(wall, time.phase) += time.seconds;
    wall.seconds += time.seconds;
  }
  const double before = process_age() - wall.seconds;  // before main()
  if (before > 0) {
    wall.start += before;
    wall.seconds += before;
  }
  return wall;
}

}  // namespace rowhalo

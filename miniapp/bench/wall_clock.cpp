// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/bench/wall_clock.hpp"

#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>

namespace rowhalo {

namespace {

struct Part {
  std::string_view phase;  ///< or what phases begin with, before ':'
  double WallReport::*seconds;
};

constexpr Part parts[] = {
    {"start", &WallReport::start},
    {"start CUDA", &WallReport::start},
    {"start MPI", &WallReport::start},
    {"outline", &WallReport::read},
    {"read", &WallReport::read},
    {"assemble", &WallReport::read},
    {"generate", &WallReport::read},
    {"shuffle", &WallReport::partition},
    {"partition", &WallReport::partition},
    {"partition quality", &WallReport::partition},
    {"rows migrate to their owners", &WallReport::partition},
    {"numbering rows and columns", &WallReport::partition},
    {"reordering rows", &WallReport::partition},
    {"partial sums", &WallReport::partition},
    {"halo plan", &WallReport::partition},
    {"plan", &WallReport::partition},
    {"convert", &WallReport::choose},
    {"choose transport", &WallReport::choose},
    {"measure", &WallReport::measure},
    {"measure formats", &WallReport::measure},
    {"measure bandwidth", &WallReport::measure},
    {"trace", &WallReport::measure},
    {"solve", &WallReport::measure},
    {"check the symmetry", &WallReport::validate},
    {"solve with PETSc", &WallReport::validate},
    {"check the solution", &WallReport::validate},
    {"validate", &WallReport::validate},
    {"validate with PETSc", &WallReport::validate},
    {"save y", &WallReport::write},
    {"write", &WallReport::write},
};

double& part_of(WallReport& wall, std::string_view phase) {
  const std::string_view head = phase.substr(0, phase.find(':'));
  for (const Part& part : parts) {
    if (part.phase == head) return wall.*part.seconds;
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

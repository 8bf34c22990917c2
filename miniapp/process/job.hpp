// SPDX-License-Identifier: BSD-3-Clause
//
// What main has made for a command.
#pragma once

#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

struct Job {
  Comm comm;
  Progress& progress;
};

}  // namespace rowhalo

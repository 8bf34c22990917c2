// SPDX-License-Identifier: BSD-3-Clause
//
// Where the wall clock time of a run has gone, by its phases.
#pragma once

#include "io/report/report.hpp"
#include "partition/base/progress.hpp"

namespace rowhalo {

/// Of this rank, from the start of its process until now. Phases that belong nowhere are `other`.
WallReport wall_of(const Progress& progress);

}  // namespace rowhalo

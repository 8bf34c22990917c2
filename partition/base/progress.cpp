// SPDX-License-Identifier: BSD-3-Clause
//
// The beginning of a phase (progress.hpp). It stands alone in this file: an executable of the tests
// that plants faults at the beginning of phases is linked with a definition of its own.
#include "partition/base/progress.hpp"

namespace rowhalo {

void Progress::phase(const char* name) {
  enter(name);
}

}  // namespace rowhalo

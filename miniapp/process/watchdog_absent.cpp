// SPDX-License-Identifier: BSD-3-Clause
//
// The watchdog of a build for SimGrid's SMPI (tests/simgrid.py): none. Simulated ranks share one
// thread, so that joining a watchdog would stop them all, and a rank that waits for its turn looks
// like one without progress. Signals keep their default actions: SIGTERM ends the simulation.
#include "miniapp/process/watchdog.hpp"

namespace rowhalo {

void Watchdog::block_signals() {}

Watchdog::Watchdog(Progress& progress, double timeout_seconds)
    : progress_(progress), timeout_seconds_(timeout_seconds) {}

Watchdog::~Watchdog() = default;

}  // namespace rowhalo

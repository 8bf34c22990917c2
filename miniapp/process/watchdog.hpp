// SPDX-License-Identifier: BSD-3-Clause
//
// A thread beside the main one that ends a job which makes no progress, and that takes the signals
// with which schedulers announce the end of the time limit. Alive from before CUDA and MPI start
// until MPI has ended.
// It counts its own naps rather than the clock, so that a rank that was stopped and continued is
// not accused of the time it was stopped.
#pragma once

#include <atomic>
#include <thread>

#include "partition/base/progress.hpp"

namespace rowhalo {

class Watchdog {
 public:
  /// `timeout_seconds` without a tick of `progress` ends the job (ten times that in a library
  /// call).
  Watchdog(Progress& progress, double timeout_seconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Leaves SIGTERM and SIGUSR1 to the watchdog; called before any other thread starts.
  static void block_signals();

 private:
  void watch();

  Progress& progress_;
  double timeout_seconds_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace rowhalo

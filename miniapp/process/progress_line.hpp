// SPDX-License-Identifier: BSD-3-Clause
//
// The line on the terminal that says what is being done and, where the phase knows it, how much of
// it and how long it will take on: a thread that reads Progress a few times per second. It erases
// the line when it goes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "partition/base/progress.hpp"

namespace rowhalo {

/// How long the phase under way will take on: from the share that is done and the time it took,
/// else from what the phase expects.
class TimeLeft {
 public:
  /// Seconds, at time `now`; empty while they cannot be told. `share`: done, negative if not known;
  /// `expected_seconds`: of the whole phase, or 0.
  std::optional<double> seconds(std::string_view phase, double share, double expected_seconds,
                                double now);

 private:
  std::string phase_;
  double began_ = 0, first_share_ = 0, last_share_ = -1;
};

/// "read 40 %, about 12 s left ..."
std::string progress_text(std::string_view phase, double share, std::optional<double> seconds_left);

class ProgressLine {
 public:
  explicit ProgressLine(const Progress& progress);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void show(const std::stop_token& stop) const;

  const Progress& progress_;
  std::jthread thread_;
};

}  // namespace rowhalo

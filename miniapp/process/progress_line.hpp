// SPDX-License-Identifier: BSD-3-Clause
//
// The line on the terminal that says what is being done and, where the phase knows it, how much of
// it: a thread that reads Progress a few times per second. It erases the line when it goes.
#pragma once

#include <thread>

#include "partition/base/progress.hpp"

namespace rowhalo {

class ProgressLine {
 public:
  explicit ProgressLine(const Progress& progress);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void show(std::stop_token stop) const;

  const Progress& progress_;
  std::jthread thread_;
};

}  // namespace rowhalo

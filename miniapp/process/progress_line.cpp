// SPDX-License-Identifier: BSD-3-Clause
//
// The progress line (progress_line.hpp).
#include "miniapp/process/progress_line.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>

#include "miniapp/process/environment.hpp"
#include "partition/base/clock.hpp"

namespace rowhalo {

namespace {

constexpr const char* erase_line = "\r\033[K";

void print(const std::string& text) {
  std::fputs((erase_line + text).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::optional<double> TimeLeft::seconds(std::string_view phase, double share,
                                        double expected_seconds, double now) {
  constexpr double least_elapsed = 2, least_share = 0.02;  // before that a guess would jump about
  const bool begins = phase != phase_ || share < last_share_ || (last_share_ < 0 && share >= 0);
  if (begins) {
    phase_ = phase;
    began_ = now;
    first_share_ = share;
  }
  last_share_ = share;
  const double elapsed = now - began_;
  if (elapsed < least_elapsed) return std::nullopt;
  const double done = share - first_share_;
  if (share >= 0 && done >= least_share) return elapsed * (1 - share) / done;
  if (expected_seconds > elapsed) return expected_seconds - elapsed;
  return std::nullopt;
}

std::string progress_text(std::string_view phase, double share,
                          std::optional<double> seconds_left) {
  std::string text(phase);
  if (share >= 0) text += fmt::format(" {:.0f} %", 100 * share);
  constexpr double minute = 60;
  if (seconds_left && *seconds_left < 2 * minute) {
    text += fmt::format(", about {:.0f} s left", std::ceil(*seconds_left));
  } else if (seconds_left) {
    text += fmt::format(", about {:.0f} min left", std::ceil(*seconds_left / minute));
  }
  return text + " ...";
}

ProgressLine::ProgressLine(const Progress& progress)
    : progress_(progress), thread_([this](const std::stop_token& stop) { show(stop); }) {}

ProgressLine::~ProgressLine() {
  thread_.request_stop();
  thread_.join();
}

void ProgressLine::show(const std::stop_token& stop) const {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  std::string shown;
  TimeLeft time_left;
  while (!stop.stop_requested()) {
    const std::string phase = progress_.phase();
    const double share = progress_.share();
    const auto left = time_left.seconds(phase, share, progress_.expected_seconds(), now_seconds());
    std::string text = progress_text(phase, share, left);
    if (text != shown) print(text);
    shown = std::move(text);
    stopped.wait_for(lock, stop, std::chrono::milliseconds(200), [] { return false; });
  }
  print("");
}

}  // namespace rowhalo

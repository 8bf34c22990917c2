// SPDX-License-Identifier: BSD-3-Clause
//
// The progress line (progress_line.hpp).
#include "miniapp/process/progress_line.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>

namespace rowhalo {

namespace {

constexpr const char* erase_line = "\r\033[K";

std::string text_of(const Progress& progress) {
  const double share = progress.share();
  return share < 0 ? fmt::format("{} ...", progress.phase())
                   : fmt::format("{} {:.0f} % ...", progress.phase(), 100 * share);
}

void print(const std::string& text) {
  std::fputs((erase_line + text).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressLine::ProgressLine(const Progress& progress)
    : progress_(progress), thread_([this](std::stop_token stop) { show(stop); }) {}

ProgressLine::~ProgressLine() {
  thread_.request_stop();
  thread_.join();
}

void ProgressLine::show(std::stop_token stop) const {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  std::string shown;
  while (!stop.stop_requested()) {
    std::string text = text_of(progress_);
    if (text != shown) print(text);
    shown = std::move(text);
    stopped.wait_for(lock, stop, std::chrono::milliseconds(200), [] { return false; });
  }
  print("");
}

}  // namespace rowhalo

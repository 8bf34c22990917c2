// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <string_view>

#include "partition/base/progress.hpp"

namespace rowhalo {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Progress::Progress() : entered_(now()) {}

std::vector<PhaseTime> Progress::times() const {
  std::vector<PhaseTime> times = times_;
  const char* current = phase();
  const auto same = [&](const PhaseTime& one) { return std::string_view(one.phase) == current; };
  auto place = std::find_if(times.begin(), times.end(), same);
  if (place == times.end()) place = times.insert(times.end(), {current, 0});
  place->seconds += now() - entered_;
  return times;
}

void Progress::enter(const char* name) {
  times_ = times();
  entered_ = now();
  phase_.store(name, std::memory_order_relaxed);
  expect(0);
  expect_seconds(0);
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string_view>

#include "partition/base/clock.hpp"
#include "partition/base/progress.hpp"

namespace rowhalo {

Progress::Progress() : entered_(now_seconds()) {}

std::vector<PhaseTime> Progress::times() const {
  std::vector<PhaseTime> times = times_;
  const char* current = phase();
  const auto same = [&](const PhaseTime& one) { return std::string_view(one.phase) == current; };
  auto place = std::find_if(times.begin(), times.end(), same);
  if (place == times.end()) place = times.insert(times.end(), {current, 0});
  place->seconds += now_seconds() - entered_;
  return times;
}

void Progress::enter(const char* name) {
  times_ = times();
  entered_ = now_seconds();
  phase_.store(name, std::memory_order_relaxed);
  expect(0);
  expect_seconds(0);
}

}  // namespace rowhalo

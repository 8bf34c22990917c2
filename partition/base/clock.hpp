// SPDX-License-Identifier: BSD-3-Clause
//
// The host's steady clock.
#pragma once

#include <chrono>

namespace rowhalo {

/// Seconds since some moment.
inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace rowhalo

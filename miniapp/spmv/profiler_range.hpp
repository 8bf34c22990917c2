// SPDX-License-Identifier: BSD-3-Clause
//
// Named ranges on the host's timeline for NVIDIA's profilers (NVTX 3, headers only), one after the
// other: each lasts until next() or the destructor. Costs nothing to speak of without a profiler,
// and does nothing in a build without CUDA.
#pragma once

namespace rowhalo {

class ProfilerRange {
 public:
  explicit ProfilerRange(const char* name);
  ~ProfilerRange();  // NOLINT(performance-trivially-destructible): with CUDA it is not
  void next(const char* name);
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace rowhalo

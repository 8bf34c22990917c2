// SPDX-License-Identifier: BSD-3-Clause
//
// A named range on the host's timeline for NVIDIA's profilers (NVTX 3, headers only): from the
// constructor to the destructor. Costs nothing to speak of without a profiler, and does nothing in
// a build without CUDA.
#pragma once

namespace rowhalo {

class ProfilerRange {
 public:
  explicit ProfilerRange(const char* name);
  ~ProfilerRange();
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace rowhalo

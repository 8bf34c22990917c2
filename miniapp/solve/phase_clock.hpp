// SPDX-License-Identifier: BSD-3-Clause
//
// Where the time of an iteration goes: spans of a solver's work, by the clock of the device.
#pragma once

#include <utility>
#include <vector>

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/clock.hpp"

namespace rowhalo {

enum class SolverPhase { product, local_product, vectors, reductions };

/// Seconds of one rank.
struct SolverPhases {
  double product = 0, local_product = 0, vectors = 0, reductions = 0;
};

class PhaseClock {
 public:
  explicit PhaseClock(Device device, Stream stream) : device_(device), stream_(stream) {}

  /// From now on spans count; otherwise in() only runs the work.
  void start() {
    spans_.clear();
    phases_ = {};
    running_ = true;
  }
  bool is_running() const { return running_; }
  /// All spans since start(), when they are done.
  SolverPhases stop();

  template <class Work>
  void in(SolverPhase phase, const Work& work) {
    if (!running_) {
      work();
      return;
    }
    const double begin = now_seconds();
    if (device_ == Device::gpu) {
      spans_.push_back({phase, EventHandle(), EventHandle()});
      const std::size_t span = spans_.size() - 1;
      spans_[span].begin.record(stream_);
      work();
      spans_[span].end.record(stream_);
    } else {
      work();
      add(phase, now_seconds() - begin);
    }
  }

 private:
  struct Span {
    SolverPhase phase;
    EventHandle begin, end;
  };

  void add(SolverPhase phase, double seconds);

  Device device_;
  Stream stream_;
  bool running_ = false;
  std::vector<Span> spans_;
  SolverPhases phases_;
};

}  // namespace rowhalo

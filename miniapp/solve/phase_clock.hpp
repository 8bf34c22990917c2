// SPDX-License-Identifier: BSD-3-Clause
//
// Where the time of an iteration goes: spans of a solver's work, by the clock of the device.
#pragma once

#include <vector>

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/clock.hpp"

namespace rowhalo {

/// Seconds of one rank.
struct SolverPhases {
  double product = 0, local_product = 0, vectors = 0, reductions = 0;
};

class PhaseClock {
 public:
  using Phase = double SolverPhases::*;

  explicit PhaseClock(Device device, Stream stream) : device_(device), stream_(stream) {}

  /// From now on spans count; otherwise in() only runs the work.
  void start() {
    spans_.clear();
    phases_ = {};
    running_ = true;
  }
  bool is_running() const { return running_; }
  /// All spans since start(), when they are done.
  SolverPhases stop() {
    running_ = false;
    if (device_ == Device::gpu) synchronize(stream_);
    for (const Span& span : spans_) phases_.*span.phase += seconds_between(span.begin, span.end);
    spans_.clear();
    return phases_;
  }

  template <class Work>
  void in(Phase phase, const Work& work) {
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
      phases_.*phase += now_seconds() - begin;
    }
  }

 private:
  struct Span {
    Phase phase;
    EventHandle begin, end;
  };

  Device device_;
  Stream stream_;
  bool running_ = false;
  std::vector<Span> spans_;
  SolverPhases phases_;
};

}  // namespace rowhalo

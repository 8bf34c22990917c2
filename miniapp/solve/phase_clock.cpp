// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/solve/phase_clock.hpp"

namespace rowhalo {

void PhaseClock::add(SolverPhase phase, double seconds) {
  switch (phase) {
    case SolverPhase::product:
      phases_.product += seconds;
      break;
    case SolverPhase::local_product:
      phases_.local_product += seconds;
      break;
    case SolverPhase::vectors:
      phases_.vectors += seconds;
      break;
    case SolverPhase::reductions:
      phases_.reductions += seconds;
      break;
  }
}

SolverPhases PhaseClock::stop() {
  running_ = false;
  if (device_ == Device::gpu) synchronize(stream_);
  for (const Span& span : spans_) add(span.phase, seconds_between(span.begin, span.end));
  spans_.clear();
  return phases_;
}

}  // namespace rowhalo

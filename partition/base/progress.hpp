// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank is doing, written by its main thread and read by the threads that watch and show it.
// Long loops call tick(); a call into a library that cannot tick is wrapped in a LibraryCall.
// Phase names are string literals: nothing can dangle.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "partition/base/clock.hpp"

namespace rowhalo {

/// How long a phase has taken so far, all the times that it was entered.
struct PhaseTime {
  const char* phase;
  double seconds;
};

class Progress {
 public:
  void phase(const char* name);
  /// Of the main thread: every phase, in the order of their first beginnings.
  std::vector<PhaseTime> times() const {
    std::vector<PhaseTime> times = times_;
    const std::string_view current = phase();
    auto place = std::find_if(times.begin(), times.end(),
                              [&](const PhaseTime& one) { return one.phase == current; });
    if (place == times.end()) place = times.insert(times.end(), {phase(), 0});
    place->seconds += now_seconds() - entered_;
    return times;
  }
  /// The phase is done after `total` units of work (0: not known); add() says how many are.
  void expect(std::int64_t total) {
    done_.store(0, std::memory_order_relaxed);
    total_.store(total, std::memory_order_relaxed);
    tick();
  }
  /// The phase takes about so long in all, although it does not know how far it has come.
  void expect_seconds(double seconds) {
    expected_seconds_.store(seconds, std::memory_order_relaxed);
    tick();
  }
  void add(std::int64_t units) {
    done_.fetch_add(units, std::memory_order_relaxed);
    tick();
  }
  void tick() { ticks_.fetch_add(1, std::memory_order_relaxed); }

  /// A signal asks this rank to end soon: from now on. Loops of one rank may leave out what is
  /// left, where all ranks look at it together before anything is made of that
  /// (leave_if_requested).
  void request_stop() { stop_requested_.store(true, std::memory_order_relaxed); }
  bool stop_requested() const { return stop_requested_.load(std::memory_order_relaxed); }

  const char* phase() const { return phase_.load(std::memory_order_relaxed); }
  /// Share of the phase that is done, in 0..1; negative where it is not known.
  double share() const {
    const std::int64_t total = total_.load(std::memory_order_relaxed);
    if (total <= 0) return -1;
    const double done = static_cast<double>(done_.load(std::memory_order_relaxed));
    return std::min(1.0, done / static_cast<double>(total));
  }
  /// Of the whole phase; 0: nothing is expected.
  double expected_seconds() const { return expected_seconds_.load(std::memory_order_relaxed); }
  std::uint64_t ticks() const { return ticks_.load(std::memory_order_relaxed); }
  bool in_library() const { return library_depth_.load(std::memory_order_relaxed) > 0; }

 private:
  friend class LibraryCall;
  void enter(const char* name) {
    times_ = times();
    entered_ = now_seconds();
    phase_.store(name, std::memory_order_relaxed);
    expect(0);
    expect_seconds(0);
  }

  std::atomic<const char*> phase_{"start"};
  std::atomic<std::uint64_t> ticks_{0};
  std::atomic<std::int64_t> done_{0}, total_{0};
  std::atomic<double> expected_seconds_{0};
  std::atomic<int> library_depth_{0};
  std::atomic<bool> stop_requested_{false};
  std::vector<PhaseTime> times_;    ///< of the phases that have ended
  double entered_ = now_seconds();  ///< the one under way, by the host's clock
};

/// While one lives, the watchdog grants ten times its limit.
class LibraryCall {
 public:
  explicit LibraryCall(Progress& progress) : progress_(progress) {
    progress_.library_depth_.fetch_add(1, std::memory_order_relaxed);
    progress_.tick();
  }
  ~LibraryCall() {
    progress_.library_depth_.fetch_sub(1, std::memory_order_relaxed);
    progress_.tick();
  }
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

 private:
  Progress& progress_;
};

}  // namespace rowhalo

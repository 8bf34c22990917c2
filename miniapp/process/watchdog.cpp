// SPDX-License-Identifier: BSD-3-Clause
//
// The watchdog thread (watchdog.hpp).
#include "miniapp/process/watchdog.hpp"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>

#include "miniapp/process/environment.hpp"
#include "partition/base/unfinished_files.hpp"

namespace rowhalo {

namespace {

constexpr double nap_seconds = 0.05;
constexpr int wake_up = SIGURG;  // to the thread, at its end; ignored anywhere else

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR1);
  return set;
}

/// The other ranks, which wait for the same thing, get a moment to name their phases too. MPI_Abort
/// comes from a thread that MPI was not told of: should it hang, the alarm ends this process and
/// the launcher the job.
[[noreturn]] void end_stuck_job(const Progress& progress, double seconds) {
  std::fprintf(stderr, "%s error: no progress for %g s in phase '%s'; see --timeout\n",
               rank_prefix().c_str(), seconds, progress.phase());
  std::fflush(stderr);
  remove_unfinished_files();  // another rank may end the job first
  sleep(1);
  signal(SIGALRM, SIG_DFL);
  alarm(5);
  end_job();
}

}  // namespace

void Watchdog::block_signals() {
  const sigset_t set = watched_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Watchdog::Watchdog(Progress& progress, double timeout_seconds)
    : progress_(progress), timeout_seconds_(timeout_seconds) {
  sigset_t awaited = watched_signals(), before;
  sigaddset(&awaited, wake_up);
  pthread_sigmask(SIG_BLOCK, &awaited, &before);  // as the thread inherits it
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog() {
  done_.store(true, std::memory_order_relaxed);
  pthread_kill(thread_.native_handle(), wake_up);
  thread_.join();
}

void Watchdog::watch() {
  sigset_t set = watched_signals();
  sigaddset(&set, wake_up);
  const timespec nap{0, static_cast<long>(nap_seconds * 1e9)};
  std::uint64_t ticks = progress_.ticks();
  double idle_seconds = 0;
  while (!done_.load(std::memory_order_relaxed)) {
    const int signal = sigtimedwait(&set, nullptr, &nap);
    if (signal == wake_up) continue;
    if (signal > 0) {
      progress_.request_stop();
      continue;
    }
    const std::uint64_t now = progress_.ticks();
    idle_seconds = now == ticks ? idle_seconds + nap_seconds : 0;
    ticks = now;
    const double limit = timeout_seconds_ * (progress_.in_library() ? 10 : 1);
    if (idle_seconds >= limit) end_stuck_job(progress_, idle_seconds);
  }
}

}  // namespace rowhalo

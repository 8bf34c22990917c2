// SPDX-License-Identifier: BSD-3-Clause
//
// Start and end of the process as a rank of a job. MpiEnvironment: everything that uses MPI lives
// inside it; it starts and ends MPI and refuses a launcher whose ranks do not see each other.
// TerminateHandler: what an exception that nobody catches says.
#pragma once

#include <string>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// This process's rank as the launcher says, also without MPI_Init; 0 without a launcher.
int launched_rank();

/// While one lives, an exception that nobody catches ends the job with a message that names rank,
/// host and the phase of `progress`.
class TerminateHandler {
 public:
  explicit TerminateHandler(const Progress& progress);
  ~TerminateHandler();
  TerminateHandler(const TerminateHandler&) = delete;
  TerminateHandler& operator=(const TerminateHandler&) = delete;
};

/// From one rank: ends the whole job with exit status 1, by MPI_Abort while MPI runs; before and
/// after that the launcher ends the other ranks.
[[noreturn]] void end_job();

class MpiEnvironment {
 public:
  /// Phases "start MPI" and, in the destructor, "end MPI".
  MpiEnvironment(int* argc, char*** argv, Progress& progress);
  ~MpiEnvironment();
  MpiEnvironment(const MpiEnvironment&) = delete;
  MpiEnvironment& operator=(const MpiEnvironment&) = delete;

  Comm world() const { return world_; }

  /// Throws AgreedError when the launcher says it started more ranks than MPI sees: they would all
  /// run the whole job, each on its own.
  void check_launcher() const;

 private:
  bool is_launcher_foreign() const;

  Progress& progress_;
  Comm world_;
  int launched_ranks_;  ///< as of before MPI_Init, which may set the variables itself
};

/// "[rank r on host]", or "[host]" without MPI and launcher: how a message of a single rank begins.
std::string rank_prefix();

/// Whether what this process writes to descriptor `fd` (1 or 2) ends on a terminal. Under a
/// launcher it is the launcher's descriptor that counts: Open MPI gives ranks a pseudo-terminal as
/// stdout even when its own goes to a file.
bool on_terminal(int fd);

/// The rank within the node as the launcher tells it before MPI_Init; 0 when it does not.
int launched_local_rank();

/// Processors that this process may run on, as a list ("0-3,8"), and how many they are.
struct Binding {
  std::string cores;
  int count = 1;
};
Binding binding();

/// First message of a failure that all ranks hold: rank 0 prints it, once, and flushes.
void print_agreed(const Comm& comm, const AgreedError& error);

}  // namespace rowhalo

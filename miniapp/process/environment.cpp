// SPDX-License-Identifier: BSD-3-Clause
//
// Start and end of MPI, the terminate handler, and what is known of the node (environment.hpp).
#include "miniapp/process/environment.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <system_error>
#include <thread>

#include "partition/base/text.hpp"
#include "partition/base/unfinished_files.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

namespace {

/// This rank as MpiEnvironment has found it: while MPI ends it can no longer be asked (MPICH
/// aborts).
std::atomic<int> known_rank{-1};
std::atomic<bool> mpi_is_ending{false};

bool mpi_is_running() {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return started != 0 && ended == 0 && !mpi_is_ending;
}

/// For the terminate handler, which takes no argument.
const Progress* watched = nullptr;

/// An exception that nobody holds on all ranks: the other ranks cannot go on, so the job ends here.
/// Nothing is unwound: destructors might wait for other ranks before the message is out.
[[noreturn]] void end_job_by_error() {
  std::string what = "terminated without an exception";
  if (const std::exception_ptr current = std::current_exception()) {
    try {
      std::rethrow_exception(current);
    } catch (const std::bad_alloc&) {
      what = "out of memory; use more ranks or nodes, or a smaller matrix";
    } catch (const std::system_error& error) {
      what = error.what();
      if (error.code() == std::errc::resource_unavailable_try_again) {
        what =
            "a thread cannot be started; raise the limits on processes and memory (ulimit -u, "
            "ulimit -v, control group)";
      }
    } catch (const std::exception& error) {
      what = error.what();
    } catch (...) {
      what = "unknown exception";
    }
  }
  std::fprintf(stderr, "%s error: %s (phase '%s')\n", rank_prefix().c_str(), one_line(what).c_str(),
               watched != nullptr ? watched->phase() : "end");
  std::fflush(stderr);
  end_job();
}

/// The first of the variables that is set, as a number; 0 when none is.
int first_number(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return 0;
}

/// What the launcher says, whatever MPI sees.
int launched_ranks() {
  return first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"});
}

bool has_launcher() {
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  constexpr const char* names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK",   "PMI_RANK", "PMI_SIZE",
                                   "PALS_RANKID",          "SLURM_PROCID"};
  return std::any_of(std::begin(names), std::end(names), is_set);
}

/// A process that no launcher started talks to nobody: Open MPI starts 0.3 s sooner without its
/// daemon and without looking for networks. Nor does it need a folder in the temporary one, which
/// all such processes would share, and which the last to end takes away from under one that begins.
/// What the user has set stays.
void want_no_network() {
  constexpr int keep = 0;
  setenv("OMPI_MCA_ess_singleton_isolated", "1", keep);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", keep);
  setenv("OMPI_MCA_pml", "ob1", keep);
  setenv("OMPI_MCA_btl", "self", keep);
}

}  // namespace

int launched_rank() {
  return first_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"});
}

int launched_local_rank() {
  // Slurm's own is last: under mpirun it is 0 for every rank.
  return first_number({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK",
                       "PALS_LOCAL_RANKID", "SLURM_LOCALID"});
}

TerminateHandler::TerminateHandler(const Progress& progress) {
  watched = &progress;
  std::set_terminate(end_job_by_error);
}

TerminateHandler::~TerminateHandler() {
  watched = nullptr;
}

void end_job() {
  remove_unfinished_files();
  if (mpi_is_running()) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::run_time));
  std::_Exit(static_cast<int>(ExitCode::run_time));
}

MpiEnvironment::MpiEnvironment(int* argc, char*** argv, Progress& progress)
    : progress_(progress), launched_ranks_(launched_ranks()) {
  progress_.phase("start MPI");
  if (!has_launcher()) want_no_network();
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  world_ = Comm::of(MPI_COMM_WORLD);
  world_.host_ranks = node_place(world_).ranks;
  known_rank = world_.rank;
}

bool MpiEnvironment::is_launcher_foreign() const {
  return launched_ranks_ > 1 && launched_ranks_ != world().size;
}

void MpiEnvironment::check_launcher() const {
  if (!is_launcher_foreign()) return;
  throw AgreedError(
      ExitCode::usage,
      fmt::format("the launcher started {} ranks but MPI sees {}: the launcher does not "
                  "belong to the MPI library of this program; use its own mpirun, or "
                  "srun with the --mpi type of that library (srun --mpi=list)",
                  launched_ranks_, world().size));
}

MpiEnvironment::~MpiEnvironment() {
  // Each rank is alone then, and the first that ends makes the launcher kill the others: not before
  // the one that speaks has spoken.
  if (is_launcher_foreign()) std::this_thread::sleep_for(std::chrono::seconds(2));
  progress_.phase("end MPI");
  mpi_is_ending = true;
  MPI_Finalize();
}

std::string rank_prefix() {
  int rank = known_rank;
  if (rank < 0 && mpi_is_running()) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  } else if (rank < 0) {
    if (launched_ranks() == 0) return fmt::format("[{}]", host_name());
    rank = launched_rank();
  }
  return fmt::format("[rank {} on {}]", rank, host_name());
}

bool on_terminal(int fd) {
  if (launched_ranks() == 0) return isatty(fd) != 0;
  const std::string link = fmt::format("/proc/{}/fd/{}", getppid(), fd);
  char target[256] = "";
  if (readlink(link.c_str(), target, sizeof target - 1) < 0) return false;
  return std::strncmp(target, "/dev/pts/", 9) == 0 || std::strncmp(target, "/dev/tty", 8) == 0;
}

Binding binding() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {"unknown", 1};
  Binding result{"", CPU_COUNT(&set)};
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    if (!result.cores.empty()) result.cores += ',';
    result.cores += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    first = last;
  }
  return result;
}

void print_agreed(const Comm& comm, const AgreedError& error) {
  if (comm.rank != 0 || launched_rank() != 0) return;
  std::fprintf(stderr, "rowhalo: %s\n", one_line(error.what()).c_str());
  std::fflush(stderr);
}

}  // namespace rowhalo

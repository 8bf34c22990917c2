// SPDX-License-Identifier: BSD-3-Clause
//
// main of the tests under mpirun: rank 0 reports to the terminal, the others only when they fail;
// the exit status is the same on every rank.
#include <signal.h>

#include <cstdio>
#include <iostream>
#include <sstream>

#include "tests/mpi.hpp"

#ifdef ROWHALO_TEST_GPU
#include "kernels/gpu/device/runtime.hpp"
#endif

int main(int argc, char** argv) {
  // Before any thread starts: the tests of the watchdog send it to their own process.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
#ifdef ROWHALO_TEST_GPU
  if (rowhalo::device_count() == 0) {
    std::cout << "skipped: no CUDA device on this machine\n";
    return 77;
  }
#endif
  MPI_Init(&argc, &argv);
#ifdef ROWHALO_TEST_GPU
  rowhalo::set_device(world().rank % rowhalo::device_count());
#endif
  int failures = 0;
  {
    std::ostringstream quiet;
    std::streambuf* terminal = std::cout.rdbuf();
    const bool first = world().rank == 0;
    if (!first) std::cout.rdbuf(quiet.rdbuf());
    failures = run_catch(argc, argv);
    std::cout.rdbuf(terminal);
    if (!first && failures != 0) {
      std::fprintf(stderr, "rank %d:\n%s\n", world().rank, quiet.str().c_str());
    }
  }
  failures = on_all_ranks(failures == 0) ? 0 : 1;
  MPI_Finalize();
  return failures;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Not a test: what a plain parallel read of the bytes of a file takes, to hold read_seconds of a
// matrix in .h5 against. Every rank preads its even share into memory of its own, by default small
// pages, with `huge` in huge pages if the system grants them. The best of 5 is printed:
//   mpirun -n 4 plain_read FILE [huge]
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int file = argc > 1 ? ::open(argv[1], O_RDONLY) : -1;
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0) {
    std::fprintf(stderr, "plain_read: name a file\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const bool huge = argc > 2 && std::strcmp(argv[2], "huge") == 0;
  const off_t begin = status.st_size * rank / ranks, end = status.st_size * (rank + 1) / ranks;
  double best = 1e30;
  for (int time = 0; time < 5; ++time) {
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = -MPI_Wtime();
    void* memory =
        ::mmap(nullptr, end - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (huge) ::madvise(memory, end - begin, MADV_HUGEPAGE);
    constexpr off_t piece = 8 << 20;
    for (off_t at = begin; at < end;) {
      const ssize_t count =
          ::pread(file, static_cast<char*>(memory) + (at - begin), std::min(piece, end - at), at);
      if (count <= 0) MPI_Abort(MPI_COMM_WORLD, 1);
      at += count;
    }
    seconds += MPI_Wtime();
    ::munmap(memory, end - begin);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    best = std::min(best, seconds);
  }
  if (rank == 0) {
    std::printf("plain read: %.3f s, %.0f MB/s\n", best,
                static_cast<double>(status.st_size) / best / 1e6);
  }
  MPI_Finalize();
}

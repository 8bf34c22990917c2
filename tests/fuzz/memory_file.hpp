// SPDX-License-Identifier: BSD-3-Clause
//
// For targets whose input is a file: one in memory, which has a path, and a rank that reads it.
#pragma once

#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "partition/comm.hpp"
#include "tests/fuzz/target.hpp"

inline const rowhalo::Comm& alone() {
  static const rowhalo::Comm comm = [] {
    MPI_Init(nullptr, nullptr);
    std::atexit([] { MPI_Finalize(); });
    return rowhalo::Comm::of(MPI_COMM_SELF);
  }();
  return comm;
}

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", 0)) {
    require(write(descriptor_, bytes.data(), bytes.size()) == std::ssize(bytes), "memory");
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

// SPDX-License-Identifier: BSD-3-Clause
//
// Random numbers and files that all ranks share, for tests of random cases.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/mpi.hpp"

namespace rowhalo::test {

/// The same numbers on every rank and with every standard library.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  /// 0 .. count - 1.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(count));
  }
  bool chance(int percent) { return below(100) < percent; }
  /// In [-1, 1).
  double real() { return static_cast<double>(engine_() >> 11) * 0x1p-52 - 1; }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(std::ssize(list))];
  }
  /// Small numbers as often as large ones, up to `most`.
  GlobalIndex size(GlobalIndex most) {
    const GlobalIndex limits[] = {3, 12, 100, 700, most};
    return below(std::min(most, limits[below(5)]) + 1);
  }

 private:
  std::mt19937_64 engine_;
};

/// Files of one rank's choice in a folder that all ranks name.
class Folder {
 public:
  Folder() {
    std::int64_t process = getpid();
    MPI_Bcast(&process, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    path_ = std::filesystem::temp_directory_path() /
            ("rowhalo-differential-" + std::to_string(process));
    if (world().rank == 0) std::filesystem::create_directory(path_);
  }
  ~Folder() {
    std::error_code ignored;
    if (world().rank == 0) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Collective. The path of a file that rank 0 has written.
  template <class Write>
  std::string file(const char* name, Write write) const {
    const std::filesystem::path path = path_ / name;
    if (world().rank == 0) {
      std::ofstream out(path);
      write(out);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return path.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace rowhalo::test

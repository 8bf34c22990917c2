// SPDX-License-Identifier: BSD-3-Clause
//
// For tests under mpirun: files that rank 0 writes and all ranks read, and whole matrices and
// errors as every rank sees them.
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <bit>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "partition/matrix/distributed_csr.hpp"
#include "tests/io/file_contents.hpp"
#include "tests/mpi.hpp"

/// A directory of rank 0, removed at the end; every rank knows its name.
class SharedDirectory {
 public:
  SharedDirectory() {
    if (world().rank == 0) {
      std::string name = (std::filesystem::temp_directory_path() / "rowhalo-XXXXXX").string();
      if (mkdtemp(name.data()) != nullptr) path_ = name;
    }
    rowhalo::broadcast(world(), path_);
  }
  ~SharedDirectory() {
    MPI_Barrier(MPI_COMM_WORLD);
    std::error_code ignored;
    if (world().rank == 0) std::filesystem::remove_all(path_, ignored);
  }
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }

  /// Collective. Writes `bytes` into file `name` and returns its path.
  std::string write(const std::string& name, const std::string& bytes) const {
    if (world().rank == 0) std::ofstream(path(name), std::ios::binary) << bytes;
    MPI_Barrier(MPI_COMM_WORLD);
    return path(name);
  }

 private:
  std::string path_;
};

/// `text` as one gzip member.
inline std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

/// An entry whose value is compared by its bits.
struct ExactEntry {
  rowhalo::GlobalIndex row, column;
  std::uint64_t bits;
  auto operator<=>(const ExactEntry&) const = default;
};

inline ExactEntry exact(rowhalo::GlobalIndex row, rowhalo::GlobalIndex column, double value) {
  return {row, column, std::bit_cast<std::uint64_t>(value)};
}

/// Collective. All entries of the matrix in order, on every rank.
inline std::vector<ExactEntry> gathered(const rowhalo::DistributedCsr& matrix) {
  std::vector<ExactEntry> own;
  for (rowhalo::GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    for (auto k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      own.push_back(exact(matrix.first_row + row, matrix.columns[k], matrix.values[k]));
    }
  }
  std::vector<ExactEntry> copies;
  for (int rank = 0; rank < world().size; ++rank) {
    copies.insert(copies.end(), own.begin(), own.end());
  }
  std::vector<std::int64_t> received;
  return rowhalo::exchange(
      world(), copies,
      std::vector<std::int64_t>(world().size, static_cast<std::int64_t>(own.size())), received);
}

/// Collective. Whether every rank has its even share of rows.
inline bool evenly_dealt(const rowhalo::DistributedCsr& matrix) {
  const auto first = [&](int rank) {
    return rowhalo::even_split(matrix.info.rows, matrix.info.block, world().size, rank);
  };
  return matrix.first_row == first(world().rank) &&
         matrix.first_row + matrix.local_rows() == first(world().rank + 1) &&
         matrix.columns.size() == matrix.values.size() &&
         static_cast<std::size_t>(matrix.local_nonzeros()) == matrix.values.size();
}

/// Collective. "code message" of the AgreedError that `call` ends with, or "none".
inline std::string agreed_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const rowhalo::AgreedError& error) {
    return std::to_string(static_cast<int>(error.code())) + " " + error.what();
  }
  return "none";
}

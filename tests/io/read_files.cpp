// SPDX-License-Identifier: BSD-3-Clause
//
// Reads many files in one start, for tests/cli/test_foreign_files.py, which compares with what
// their own libraries read:
//   mpirun -n 3 read_files matrices FILE...    rows, columns, nonzeros, and y = A x with x_i = i +
//   1 mpirun -n 3 read_files vectors SIZE FILE...
// Rank 0 prints one JSON object per file; of one that is refused the status and the message.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/sources.hpp"
#include "io/vector_file.hpp"

using namespace rowhalo;
using Json = nlohmann::json;

namespace {

/// Collective. All ranks' pieces, on every rank.
std::vector<double> gathered(const Comm& comm, const std::vector<double>& own) {
  std::vector<double> copies;
  for (int rank = 0; rank < comm.size; ++rank) copies.insert(copies.end(), own.begin(), own.end());
  std::vector<std::int64_t> received;
  return exchange(comm, copies, std::vector<std::int64_t>(comm.size, std::ssize(own)), received);
}

Json read_matrix(const std::string& name, const Comm& comm, Progress& progress) {
  const MatrixOutline outline = outline_matrix(name, 0, comm);
  const DistributedCsr matrix = load_matrix(name, 0, comm, progress);
  std::vector<double> y(matrix.local_rows(), 0.0);
  for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      y[row] += matrix.values[k] * (static_cast<double>(matrix.columns[k]) + 1);
    }
  }
  return {{"rows", matrix.info.rows},
          {"columns", matrix.info.columns},
          {"outline", {outline.info.rows, outline.info.columns}},
          {"nonzeros", sum_over_ranks(comm, matrix.local_nonzeros())},
          {"y", gathered(comm, y)}};
}

Json read_a_vector(const std::string& name, GlobalIndex size, const Comm& comm,
                   Progress& progress) {
  check_vector_source(name, "--x", comm);
  return {{"y", gathered(comm, read_vector(name, size, comm, progress))}};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Comm comm = Comm::of(MPI_COMM_WORLD);
  Progress progress;
  const bool vectors = argc > 2 && std::strcmp(argv[1], "vectors") == 0;
  for (int k = vectors ? 3 : 2; k < argc; ++k) {
    Json result;
    try {
      result = vectors ? read_a_vector(argv[k], std::atoll(argv[2]), comm, progress)
                       : read_matrix(argv[k], comm, progress);
    } catch (const AgreedError& error) {
      result = {{"status", static_cast<int>(error.code())}, {"message", error.what()}};
    }
    result["file"] = argv[k];
    if (comm.rank == 0) std::printf("%s\n", result.dump().c_str());
    std::fflush(stdout);
  }
  MPI_Finalize();
}

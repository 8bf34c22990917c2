// SPDX-License-Identifier: BSD-3-Clause
//
// y and x into files, in the order of the source (experiment.hpp): one vector as a vector, several
// as the columns of a matrix, which --x and --y read again.
#include "io/host_memory.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "miniapp/commands/experiment.hpp"
#include "partition/base/numbers.hpp"
#include "partition/matrix/directory.hpp"

namespace rowhalo {

namespace {

/// A matrix of the vectors whose even shares of entries the ranks hold, a column each.
DistributedCsr columns_of(const Comm& comm, GlobalIndex rows,
                          const std::vector<std::vector<double>>& shares) {
  DistributedCsr matrix;
  matrix.info.rows = rows;
  matrix.info.columns = std::ssize(shares);
  matrix.first_row = even_split(rows, 1, comm.size, comm.rank);
  for (std::size_t row = 0; row < shares.front().size(); ++row) {
    for (std::size_t k = 0; k < shares.size(); ++k) {
      matrix.columns.push_back(static_cast<GlobalIndex>(k));
      matrix.values.push_back(shares[k][row]);
    }
    matrix.offsets.push_back(std::ssize(matrix.columns));
  }
  return matrix;
}

}  // namespace

void save_vector(const Experiment& e, const char* option, const std::string& path,
                 Precision precision, const void* stored, Session& session, int vectors) {
  const Comm& comm = e.job.comm;
  session.outputs.attempt(option, [&] {
    // Entries as numbers; then numbers of rows and entries as they are sent, received and written.
    const std::int64_t needed =
        (8 + std::int64_t{vectors}) * std::int64_t{sizeof(double)} * e.matrix.owned_rows;
    const std::string lack = lacking_memory(comm, needed, "the order of the source");
    if (!lack.empty()) throw AgreedError(ExitCode::run_time, lack);
    std::vector<std::vector<double>> shares;
    for (std::int64_t k = 0; k < vectors; ++k) {
      std::vector<double> entries(e.matrix.owned_rows);
      for (std::int64_t row = 0; row < std::ssize(entries); ++row) {
        entries[row] = load(vector_type(precision), stored, k * e.matrix.owned_rows + row);
      }
      shares.push_back(scatter<double>(comm, e.matrix.info.rows, e.matrix.source_rows, entries));
    }
    if (vectors == 1) return write_vector(path, shares[0], precision, comm, e.job.progress);
    save_matrix(path, columns_of(comm, e.matrix.info.rows, shares), comm, e.job.progress);
  });
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors from matrices (vector_of_matrix.hpp).
#include "io/vector_of_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "partition/matrix/transpose.hpp"
#include "io/file_location.hpp"
#include "partition/base/text.hpp"
#include "partition/matrix/migrate.hpp"

namespace rowhalo {

void check_vector_shape(const std::string& place, const std::string& name, GlobalIndex rows,
                        GlobalIndex columns, std::int64_t column, GlobalIndex size) {
  const bool is_row = rows == 1 && columns != 1 && column == 0;
  if (column < 0) {
    throw InputError(place + ": the column is no number of at least 1; write e.g. :column=1");
  }
  if (column > columns) {
    throw InputError(
        fmt::format("{}: has {} column{}, so that there is no column {}; columns are "
                    "counted from 1",
                    place, columns, columns == 1 ? "" : "s", column));
  }
  if (!is_row && columns != 1 && column == 0) {
    throw InputError(
        fmt::format("{}: is {} x {}, and no vector; choose one of its {} columns, "
                    "counted from 1: {}",
                    place, rows, columns, columns, shell_quoted(name + ":column=1")));
  }
  const GlobalIndex entries = is_row ? columns : rows;
  if (entries == size) return;
  throw InputError(
      fmt::format("{}: the vector has {} entries where {} are needed", place, entries, size));
}

std::vector<double> vector_of_matrix(const SourceEntry& source, const std::string& name,
                                     GlobalIndex size, const Comm& comm, Progress& progress) {
  const std::int64_t column = file_location(name).column;
  const Spec spec = Spec::whole(name, "");
  const MatrixInfo info = source.functions->outline(spec, comm).info;
  agree(comm, [&] { check_vector_shape(name, name, info.rows, info.columns, column, size); });
  DistributedCsr matrix = source.functions->load(spec, comm, progress);
  if (info.rows == 1 && info.columns != 1 && column == 0) {
    matrix = transposed(comm, std::move(matrix), progress);
  } else {
    matrix.info.block = 1;
    matrix = evenly_distributed(comm, std::move(matrix), progress);
  }
  std::vector<double> share(matrix.local_rows(), 0.0);
  for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      if (matrix.columns[k] == std::max<std::int64_t>(column, 1) - 1) share[row] = matrix.values[k];
    }
  }
  return share;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Source dense: every entry stored, a_ij = i - 0.1*j + 1 with i and j from 0 (zeros too).
#include "io/generators.hpp"
#include "io/sources/loaders.hpp"

namespace rowhalo {

DistributedCsr load_dense(const Spec& spec, const Comm& comm, Progress& progress) {
  MatrixInfo info;
  info.source = spec.text();
  agree(comm, [&] {
    spec.allow_only({"rows", "columns"});
    const GlobalIndex n = spec.integer_argument(0);
    info.rows = spec.integer("rows", n);
    info.columns = spec.integer("columns", n == 0 ? info.rows : n);
    if (info.rows == 0) spec.fail("the size is missing; write dense:1000 or dense:rows=,columns=");
    check_size(spec, comm, info.rows, static_cast<double>(info.columns));
  });
  return generate_rows(
      info, comm, progress, [&](GlobalIndex) { return info.columns; },
      [&](GlobalIndex row, GlobalIndex* columns, double* values) {
        for (GlobalIndex column = 0; column < info.columns; ++column) {
          columns[column] = column;
          values[column] = static_cast<double>(row) - 0.1 * static_cast<double>(column) + 1.0;
        }
      });
}

}  // namespace rowhalo

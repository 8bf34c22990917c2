// SPDX-License-Identifier: BSD-3-Clause
//
// Source dense: every entry stored, a_ij = i - 0.1*j + 1 with i and j from 0 (zeros too).
#include "io/generators/generators.hpp"

namespace rowhalo {

namespace {

struct Dense {
  MatrixOutline outline;

  explicit Dense(const Spec& spec) {
    spec.allow_only({"rows", "columns"});
    MatrixInfo& info = outline.info;
    const GlobalIndex n = spec.integer_argument(0);
    info.source = spec.text();
    info.rows = spec.integer("rows", n);
    info.columns = spec.integer("columns", n == 0 ? info.rows : n);
    if (info.rows == 0) spec.fail("the size is missing; write dense:1000 or dense:rows=,columns=");
    outline.nonzeros = checked_product(spec, info.rows, info.columns, "entries");
  }

  Offset count(GlobalIndex) const { return outline.info.columns; }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    for (GlobalIndex column = 0; column < outline.info.columns; ++column) {
      columns[column] = column;
      values[column] = static_cast<double>(row) - 0.1 * static_cast<double>(column) + 1.0;
    }
  }
};

}  // namespace

extern const SourceFunctions dense_source = generated_by<Dense>;

}  // namespace rowhalo

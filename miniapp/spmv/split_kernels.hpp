// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels for the order `split`: the owned columns of all rows, which need no exchange, then what
// the ghosts add to the rows that have any. It hides an exchange where hardly any row is interior.
// Sums of rows come in two parts, so their bits are their own.
#pragma once

#include "miniapp/spmv/column_split.hpp"
#include "miniapp/spmv/local_kernels.hpp"

namespace rowhalo {

/// Local. A kernel of some rows that adds to what y holds, whatever beta is.
std::unique_ptr<SpmvKernel> make_adding_kernel(const FormatEntry& format, const CsrView& matrix,
                                               RowListView rows, const Spec& options);

/// The local matrix cut by columns, both parts as kernels take them.
class LoadedColumns {
 public:
  LoadedColumns(const LocalMatrix& matrix, Precision precision, Device device,
                bool value_codes = true)
      : split_(split_columns(matrix)),
        owned_(split_.owned, precision, device, value_codes),
        ghosts_(split_.ghosts, precision, device, value_codes) {}

  const CsrView& owned() const { return owned_.view(); }
  const CsrView& ghosts() const { return ghosts_.view(); }

 private:
  ColumnSplit split_;
  LoadedMatrix owned_, ghosts_;
};

/// Local. As make_interior_kernel(): all rows by their owned columns.
LocalKernels make_owned_kernel(const LoadedColumns& columns, const FormatEntry& format,
                               const Spec& options);
/// Local, then: what the ghosts add to the rows of `boundary`, all rows for a vendor's format.
void make_ghost_kernel(const LoadedColumns& columns, RowListView boundary,
                       const FormatEntry& format, const Spec& options, LocalKernels& kernels);

}  // namespace rowhalo

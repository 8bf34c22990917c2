// SPDX-License-Identifier: BSD-3-Clause
//
// The local matrix as kernels take it: values in the precision of the run, arrays and row lists in
// the memory of the device.
#pragma once

#include <optional>
#include <vector>

#include "kernels/formats.hpp"
#include "kernels/gpu/device/device_csr.hpp"
#include "kernels/gpu/device/device_row_list.hpp"
#include "partition/local_matrix.hpp"

namespace rowhalo {

/// Whether others come in the place of the values that are there at first.
enum class NewValues {
  never,
  refilled  ///< by refill(): formats store values in full and keep what they need for new ones
};

/// On the host in fp64 it shares the arrays of `matrix`, which outlives it either way.
class LoadedMatrix {
 public:
  /// Copies what must be copied. `value_codes`: formats may store values in fewer bytes where that
  /// is exact; `multiprocessors_beside`: left to an exchange while all rows are multiplied.
  LoadedMatrix(const LocalMatrix& matrix, Precision precision, Device device,
               bool value_codes = true, int multiprocessors_beside = 0,
               NewValues new_values = NewValues::never);
  LoadedMatrix(const LoadedMatrix&) = delete;
  LoadedMatrix& operator=(const LoadedMatrix&) = delete;

  /// Its `value_codes` is false, too, where a sample of the values rules fewer bytes out.
  const CsrView& view() const { return device_csr_ ? device_csr_->view() : host_view_; }
  NewValues new_values() const {
    return host_view_.refillable ? NewValues::refilled : NewValues::never;
  }
  RowListView interior() const {
    return lists_ ? lists_->interior.view() : matrix_.interior.view();
  }
  RowListView boundary() const {
    return lists_ ? lists_->boundary.view() : matrix_.boundary.view();
  }
  /// Of all rows.
  LocalStatistics statistics() const;

  /// Takes the values of the matrix anew, whose owner has changed them; nothing is allocated.
  /// Values may be changed again when it is back; kernels take them in the order of `stream`.
  void refill(Stream stream);
  /// The same from device memory, in the order of `stream`: fp64, one per entry of the matrix. On a
  /// GPU only.
  void refill_from_device(const double* values, Stream stream);
  /// Those of view() on a GPU, for whoever replaces them.
  void* device_values() const { return device_csr_->values(); }

 private:
  struct DeviceLists {
    DeviceRowList interior, boundary;
  };

  void round_values();

  const LocalMatrix& matrix_;
  std::vector<std::byte> host_values_;  ///< where they are not stored in fp64; kept for refill()
  CsrView host_view_;                   ///< without values where these lie on the device only
  double least_value_bytes_;
  std::optional<DeviceCsr> device_csr_;
  std::optional<DeviceLists> lists_;
};

/// A local matrix cut by columns, as the order `split` takes it, and PETSc and HPCG keep it: what
/// owned entries of x are multiplied by, and what ghosts are. Both have all rows of the local
/// matrix, with the entries in stored order and the column numbers of that matrix; fingerprints and
/// row lists are left out.
struct ColumnSplit {
  LocalMatrix owned, ghosts;
};
/// Local.
ColumnSplit split_columns(const LocalMatrix& matrix);

/// The same as kernels take it.
class LoadedColumns {
 public:
  LoadedColumns(const LocalMatrix& matrix, Precision precision, Device device,
                bool value_codes = true, NewValues new_values = NewValues::never)
      : split_(split_columns(matrix)),
        owned_(split_.owned, precision, device, value_codes, 0, new_values),
        ghosts_(split_.ghosts, precision, device, value_codes, 0, new_values) {}

  const CsrView& owned() const { return owned_.view(); }
  const CsrView& ghosts() const { return ghosts_.view(); }

  /// Takes the values of `matrix` anew, on a GPU those of `block`, which has them already.
  void refill(const LocalMatrix& matrix, const LoadedMatrix& block, Stream stream);

 private:
  ColumnSplit split_;
  LoadedMatrix owned_, ghosts_;
};

}  // namespace rowhalo

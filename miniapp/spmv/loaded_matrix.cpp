// SPDX-License-Identifier: BSD-3-Clause
//
// Values, arrays and row lists for kernels (loaded_matrix.hpp).
#include "miniapp/spmv/loaded_matrix.hpp"

#include "kernels/gpu/device/device_work.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

ColumnSplit split_columns(const LocalMatrix& matrix) {
  enum class Columns { owned, ghosts };
  const auto part_of = [&](Columns kept) {
    LocalMatrix part;
    part.info = matrix.info;
    part.owned_rows = matrix.owned_rows;
    part.owned_columns = matrix.owned_columns;
    const auto first = matrix.source_columns.begin();
    part.source_columns.assign(
        first, kept == Columns::owned ? first + matrix.owned_columns : matrix.source_columns.end());
    const auto kind_of = [&](LocalIndex column) {
      return column >= matrix.owned_columns ? Columns::ghosts : Columns::owned;
    };
    const auto visit = [&](LocalIndex row, auto entry) {
      for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
        if (kind_of(matrix.indices[k]) == kept) entry(matrix.indices[k], matrix.values[k]);
      }
    };
    fill_rows(visit, part);
    return part;
  };
  return {part_of(Columns::owned), part_of(Columns::ghosts)};
}

LoadedMatrix::LoadedMatrix(const LocalMatrix& matrix, Precision precision, Device device,
                           bool value_codes, int multiprocessors_beside)
    : matrix_(matrix), host_view_(matrix.view()) {
  host_view_.precision = precision;
  host_view_.value_codes = value_codes;
  host_view_.multiprocessors_beside = multiprocessors_beside;
  if (precision != Precision::fp64) {
    host_values_.resize(matrix.values.size() * matrix_value_bytes(precision));
    store(matrix_type(precision), matrix.values.data(), std::ssize(matrix.values),
          host_values_.data());
    host_view_.values = host_values_.data();
  }
  least_value_bytes_ = least_value_bytes(host_view_);
  const bool looked = precision == Precision::fp64 || precision == Precision::fp32;
  if (looked && least_value_bytes_ == static_cast<double>(matrix_value_bytes(precision))) {
    host_view_.value_codes = false;  // what a sample rules out no format need look for
  }
  if (device == Device::gpu) {
    device_csr_.emplace(host_view_);
    lists_.emplace(DeviceLists{DeviceRowList(matrix.interior), DeviceRowList(matrix.boundary)});
    if (!host_values_.empty()) host_view_.values = nullptr;
    std::vector<std::byte>().swap(host_values_);
  }
}

LocalStatistics LoadedMatrix::statistics() const {
  const RowListView rows = all_rows(host_view_.rows);
  LocalStatistics statistics =
      local_statistics(host_view_, device_csr_ ? row_lengths_on_device(view(), rows)
                                               : count_row_lengths(view(), rows));
  statistics.least_value_bytes = least_value_bytes_;
  return statistics;
}

}  // namespace rowhalo

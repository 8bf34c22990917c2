// SPDX-License-Identifier: BSD-3-Clause
//
// Values, arrays and row lists for kernels (loaded_matrix.hpp).
#include "miniapp/spmv/loaded_matrix.hpp"

#include "kernels/gpu/conversion/new_values.hpp"
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
                           bool value_codes, int multiprocessors_beside, NewValues new_values)
    : matrix_(matrix), host_view_(matrix.view()) {
  host_view_.precision = precision;
  host_view_.value_codes = value_codes;
  host_view_.multiprocessors_beside = multiprocessors_beside;
  host_view_.refillable = new_values == NewValues::refilled;
  if (host_view_.refillable) host_view_.value_codes = false;
  if (precision != Precision::fp64) {
    host_values_.resize(matrix.values.size() * matrix_value_bytes(precision));
    round_values();
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
    if (!host_view_.refillable) std::vector<std::byte>().swap(host_values_);
  }
}

void LoadedMatrix::round_values() {
  if (host_values_.empty()) return;
  store(matrix_type(host_view_.precision), matrix_.values.data(), std::ssize(matrix_.values),
        host_values_.data());
}

void LoadedMatrix::refill(Stream stream) {
  round_values();
  if (!device_csr_) return;
  const void* values =
      host_values_.empty() ? static_cast<const void*>(matrix_.values.data()) : host_values_.data();
  const std::size_t bytes = matrix_.values.size() * matrix_value_bytes(host_view_.precision);
  copy_async(device_values(), values, bytes, stream);
}

void LoadedMatrix::refill_from_device(const double* values, Stream stream) {
  round_on_device(matrix_type(host_view_.precision), values, host_view_.nonzeros, device_values(),
                  stream);
}

void LoadedColumns::refill(const LocalMatrix& matrix, const LoadedMatrix& block, Stream stream) {
  if (block.view().device == Device::gpu) {
    split_on_device(block.view(), matrix.owned_columns, owned_.view(), owned_.device_values(),
                    ghosts_.view(), ghosts_.device_values(), stream);
    return;
  }
#pragma omp parallel for schedule(static)
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    double* owned = split_.owned.values.data() + split_.owned.offsets[row];
    double* ghost = split_.ghosts.values.data() + split_.ghosts.offsets[row];
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      (matrix.indices[k] < matrix.owned_columns ? *owned++ : *ghost++) = matrix.values[k];
    }
  }
  owned_.refill(stream);
  ghosts_.refill(stream);
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

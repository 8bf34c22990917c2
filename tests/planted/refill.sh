# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in what gives a kernel, an operator or a time step new values

fault "a stale value: the first slice of a refill" kernels/cpu/sell.cpp \
  'for (std::int64_t slice = begin; slice < end; ++slice) fill_values(slice);' \
  'for (std::int64_t slice = begin + 1; slice < end; ++slice) fill_values(slice);' \
  test_kernels
fault "a slot forgotten: values of listed rows in vbl" kernels/cpu/vbl.cpp \
  'if (rows_.groups != nullptr) copy_values();' \
  '(void)rows_;' \
  test_kernels
fault "a stale value: blocks add up old and new" kernels/cpu/bsr.cpp \
  'std::fill_n(values, (end - begin) * area, T{0});' \
  'if (run_ == nullptr) std::fill_n(values, (end - begin) * area, T{0});' \
  test_kernels
fault "a refillable matrix with a dictionary of values" kernels/options.cpp \
  ' && !matrix.refillable' \
  '' \
  test_kernels
fault "a stale value: reduced precision keeps the old ones" miniapp/spmv/loaded_matrix.cpp \
  'void LoadedMatrix::refill(Stream stream) {
  round_values();' \
  'void LoadedMatrix::refill(Stream stream) {' \
  test_own_operator_n1
fault "a stale value: boundary rows are not refilled" miniapp/spmv/local_kernels.cpp \
  'if (boundary) boundary->refill(stream);' \
  '(void)boundary;' \
  test_own_operator_n2
fault "split: new values of ghosts are those of owned columns" miniapp/spmv/loaded_matrix.cpp \
  'ghosts_.refill(stream);' \
  'owned_.refill(stream);' \
  test_own_operator_n2
fault "values of a moved row leave as they stand" partition/value_route.cpp \
  'order_.empty() ? given : packed_.data()' \
  'given' \
  test_partition_n3
fault "a value that comes twice replaces the first" partition/value_route.cpp \
  'entries[~places_[k]] += given[k];' \
  'entries[~places_[k]] = given[k];' \
  test_partition_n1
fault "new values of partial sums stay at home" partition/partial_sums.cpp \
  'exchange_into(comm, moved.data(), sums.sent_bytes, sums.sums.values.data(), sums.received_bytes);' \
  '' \
  test_partition_n2
fault "a time step multiplies by the values of the one before" miniapp/commands/time_steps.cpp \
  '    kernels.refill(machine.stream());
' \
  '' \
  cli_solve
gpu_fault "a stale value: listed rows of a GPU" kernels/gpu/device/device_format.hpp \
  'if (rows_.count > 0) refill_values(matrix, stream);' \
  'if (rows_.count > 0 && rows_.groups == nullptr) refill_values(matrix, stream);' \
  test_kernels_gpu
gpu_fault "values of the device pass by kernels that read CSR" miniapp/spmv/own_operator.cpp \
  'own.block->refill_from_device(values, stream);' \
  '' \
  test_own_operator_gpu_n1

// SPDX-License-Identifier: BSD-3-Clause
//
// The order of a distributed product (distributed_spmv.hpp).
#include "miniapp/distributed_spmv.hpp"

#include "kernels/gpu/device_work.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

MatrixBlock::MatrixBlock(const LocalMatrix& matrix, Precision precision, Device device)
    : matrix_(matrix), host_view_(matrix.view()) {
  host_view_.precision = precision;
  if (precision != Precision::fp64) {
    host_values_.resize(matrix.values.size() * matrix_value_bytes(precision));
    store(matrix_type(precision), matrix.values.data(), std::ssize(matrix.values),
          host_values_.data());
    host_view_.values = host_values_.data();
  }
  if (device == Device::gpu) {
    device_csr_.emplace(host_view_);
    lists_.emplace(DeviceLists{DeviceRowList(matrix.interior), DeviceRowList(matrix.boundary)});
    std::vector<std::byte>().swap(host_values_);
  }
}

BlockStatistics MatrixBlock::statistics() const {
  const RowListView rows = all_rows(host_view_.rows);
  return block_statistics(host_view_, device_csr_ ? row_lengths_on_device(view(), rows)
                                                  : count_row_lengths(view(), rows));
}

KernelWork LocalKernels::work() const {
  KernelWork work = interior->work();
  if (boundary) {
    const KernelWork more = boundary->work();
    work.bytes += more.bytes;
    work.matrix_bytes += more.matrix_bytes;
    work.stored_entries += more.stored_entries;
    work.flops += more.flops;
    work.footprint_bytes += more.footprint_bytes;
    work.setup_seconds += more.setup_seconds;
    work.coalescing.reset();  // of one kernel only
    work.balance.reset();
    work.parameters.clear();
  }
  return work;
}

LocalKernels make_interior_kernel(const MatrixBlock& block, Schedule schedule,
                                  const FormatEntry& format, const Spec& options) {
  const CsrView& matrix = block.view();
  LocalKernels kernels;
  kernels.rows = matrix.rows;
  kernels.repeatable = format.repeatable;
  kernels.schedule = format.baseline ? Schedule::blocking : schedule;
  const bool all = kernels.schedule == Schedule::blocking;
  kernels.interior =
      make_kernel(format, matrix, all ? all_rows(matrix.rows) : block.interior(), options);
  return kernels;
}

void make_boundary_kernel(const MatrixBlock& block, const FormatEntry& format, const Spec& options,
                          LocalKernels& kernels) {
  if (kernels.schedule == Schedule::blocking) return;
  kernels.boundary = make_kernel(format, block.view(), block.boundary(), options);
  kernels.repeatable = kernels.repeatable && format.repeatable;
}

LocalKernels make_kernels(const MatrixBlock& block, Schedule schedule, const Spec& interior_format,
                          const Spec& boundary_format) {
  const Device device = block.view().device;
  const FormatEntry& interior = find_format(interior_format.name(), device);
  const FormatEntry& boundary = find_format(boundary_format.name(), device);
  if (boundary.baseline) schedule = Schedule::blocking;
  LocalKernels kernels = make_interior_kernel(block, schedule, interior, interior_format);
  make_boundary_kernel(block, boundary, boundary_format, kernels);
  return kernels;
}

template <class After>
void DistributedSpmv::product(double alpha, const HaloVector& x, double beta, void* y,
                              Stream stream, After after) const {
  halo_.begin(x, stream);
  after(Phase::pack);
  if (kernels_.schedule == Schedule::overlap) {
    kernels_.interior->apply(alpha, x.data, beta, y, stream);
    after(Phase::interior);
    halo_.finish(x, stream);
    after(Phase::exchange);
    kernels_.boundary->apply(alpha, x.data, beta, y, stream);
    after(Phase::boundary);
  } else {
    halo_.finish(x, stream);
    after(Phase::exchange);
    kernels_.interior->apply(alpha, x.data, beta, y, stream);
    after(Phase::interior);
  }
}

void DistributedSpmv::apply(double alpha, const HaloVector& x, double beta, void* y,
                            Stream stream) const {
  product(alpha, x, beta, y, stream, [](Phase) {});
}

void apply_local(const LocalKernels& kernels, double alpha, const HaloVector& x, double beta,
                 void* y, Stream stream) {
  kernels.interior->apply(alpha, x.data, beta, y, stream);
  if (kernels.boundary) kernels.boundary->apply(alpha, x.data, beta, y, stream);
}

void DistributedSpmv::apply(double alpha, const HaloVector& x, double beta, void* y, Stream stream,
                            const std::function<void(Phase)>& after) const {
  product(alpha, x, beta, y, stream, after);
}

}  // namespace rowhalo

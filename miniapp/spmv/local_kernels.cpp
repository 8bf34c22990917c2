// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels for an order (local_kernels.hpp).
#include "miniapp/spmv/local_kernels.hpp"

#include <stdexcept>

namespace rowhalo {

namespace {

Order suited(Order order, const FormatEntry& format) {
  return format.baseline ? Order::blocking : order;
}

/// Whether two streams serve the kernels of `matrix` better than one.
bool suits_side_stream(const LoadedMatrix& matrix, const LocalKernels& kernels) {
  return matrix.view().device == Device::gpu && matrix.interior().count > 0 &&
         matrix.boundary().count > 0 && !kernels.interior->starts_early() &&
         !kernels.boundary->starts_early();
}

}  // namespace

std::optional<std::int64_t> LocalKernels::dot_parts() const {
  if (order == Order::split || added) return {};
  const std::optional<std::int64_t> parts = interior->dot_parts();
  if (!boundary || !parts) return parts;
  const std::optional<std::int64_t> more = boundary->dot_parts();
  return more ? std::optional(*parts + *more) : more;
}

KernelWork LocalKernels::work() const {
  KernelWork work = interior->work();
  const auto add = [&work](const KernelWork& more) {
    work.bytes += more.bytes;
    work.matrix_bytes += more.matrix_bytes;
    work.stored_entries += more.stored_entries;
    work.flops += more.flops;
    work.footprint_bytes += more.footprint_bytes;
    work.setup_seconds += more.setup_seconds;
    work.coalescing.reset();  // of one kernel only
    work.balance.reset();
    work.parameters.clear();
  };
  if (boundary) add(boundary->work());
  if (sums) add(sums->work());
  if (added) add(added->work());
  return work;
}

LocalKernels make_interior_kernel(const LoadedMatrix& matrix, Order order,
                                  const FormatEntry& format, const Spec& options) {
  if (order == Order::split) throw std::logic_error("split takes a matrix that is cut by columns");
  LocalKernels kernels;
  kernels.order = suited(order, format);
  kernels.rows = matrix.view().rows;
  kernels.repeatable = format.repeatable;
  kernels.canonical = format.canonical;
  const bool overlap = kernels.order == Order::overlap;
  kernels.interior = make_kernel(format, matrix.view(),
                                 overlap ? matrix.interior() : all_rows(kernels.rows), options);
  return kernels;
}

void make_boundary_kernel(const LoadedMatrix& matrix, const FormatEntry& format,
                          const Spec& options, LocalKernels& kernels) {
  if (kernels.order == Order::blocking) return;
  kernels.boundary = make_kernel(format, matrix.view(), matrix.boundary(), options);
  kernels.repeatable = kernels.repeatable && format.repeatable;
  kernels.canonical = kernels.canonical && format.canonical;
  kernels.side.reset();
  if (suits_side_stream(matrix, kernels)) kernels.side = std::make_unique<const SideStream>();
}

LocalKernels make_kernels(const LoadedMatrix& matrix, Order order, const Spec& interior_format,
                          const Spec& boundary_format) {
  const Device device = matrix.view().device;
  const FormatEntry& interior = find_format(interior_format.name(), device);
  const FormatEntry& boundary = find_format(boundary_format.name(), device);
  LocalKernels kernels =
      make_interior_kernel(matrix, suited(order, boundary), interior, interior_format);
  make_boundary_kernel(matrix, boundary, boundary_format, kernels);
  return kernels;
}

}  // namespace rowhalo

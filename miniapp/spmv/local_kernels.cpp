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

void multiply(const SpmvKernel& kernel, const Product& p, double* dot_parts, Stream stream) {
  if (dot_parts == nullptr) {
    kernel.apply(p.alpha, p.x.data, p.beta, p.y, stream);
  } else {
    kernel.apply_with_dot(p.alpha, p.x.data, p.beta, p.y, dot_parts, stream);
  }
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

void compute_sums(const LocalKernels& kernels, const Product& product, Stream stream) {
  const HaloVector* sums = product.sums;
  if (sums != nullptr && sums->owned > 0) {
    kernels.sums->apply(1, product.x.data, 0, sums->data, stream);
  }
}

void add_sums(const LocalKernels& kernels, const Product& product, Stream stream) {
  const HaloVector* sums = product.sums;
  if (sums != nullptr && sums->ghosts > 0) {
    kernels.added->apply(product.alpha, sums->data, 1, product.y, stream);
  }
}

void multiply_interior(const LocalKernels& kernels, const Product& product, Stream stream) {
  multiply(*kernels.interior, product, product.dot_parts, stream);
}

void multiply_boundary(const LocalKernels& kernels, const Product& product, Stream stream) {
  double* parts = product.dot_parts;
  multiply(*kernels.boundary, product,
           parts != nullptr ? parts + *kernels.interior->dot_parts() : nullptr, stream);
}

void apply_local(const LocalKernels& kernels, const Product& product, Stream stream) {
  const bool sums_beside = kernels.order == Order::blocking;
  if (!sums_beside) compute_sums(kernels, product, stream);
  const Stream side = kernels.side ? kernels.side->fork(stream) : stream;
  if (sums_beside) compute_sums(kernels, product, side);
  multiply_interior(kernels, product, stream);
  if (kernels.boundary) multiply_boundary(kernels, product, side);
  if (kernels.side) kernels.side->join(stream);
  add_sums(kernels, product, stream);
}

}  // namespace rowhalo

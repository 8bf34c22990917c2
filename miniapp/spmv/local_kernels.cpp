// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels for an order (local_kernels.hpp).
#include "miniapp/spmv/local_kernels.hpp"

#include <algorithm>
#include <stdexcept>

#include "miniapp/spmv/partial_sum_kernels.hpp"

namespace rowhalo {

namespace {

Order suited(Order order, const FormatEntry& format) {
  return order == Order::overlap && format.baseline ? Order::blocking : order;
}

/// Whether two streams serve these kernels better than one.
bool suits_side_stream(const OperatorParts& parts, const LocalKernels& kernels) {
  return kernels.order == Order::overlap && parts.site.device == Device::gpu &&
         parts.block.interior().count > 0 && parts.block.boundary().count > 0 &&
         !kernels.interior->starts_early() && !kernels.boundary->starts_early();
}

/// With partial sums rows are added up in parts, so no format has the bits of csr.
void add_sums(const PartialSumKernels& sums, LocalKernels& kernels) {
  kernels.sums = sums.sums();
  kernels.added = sums.added();
  if (kernels.order == Order::blocking && kernels.interior->leaves_room()) {
    kernels.side = std::make_unique<const SideStream>();
  }
  kernels.canonical = false;
}

/// Adds to what y holds, whatever beta is.
class AddingKernel final : public SpmvKernel {
 public:
  AddingKernel(std::unique_ptr<SpmvKernel> kernel, std::int64_t reread_bytes)
      : kernel_(std::move(kernel)), reread_bytes_(reread_bytes) {}

  KernelWork work() const override {
    KernelWork work = kernel_->work();
    work.bytes += reread_bytes_;
    return work;
  }
  void refill(Stream stream) override { kernel_->refill(stream); }
  bool takes_several() const override { return kernel_->takes_several(); }

 private:
  void multiply(const LocalProduct& product, Stream stream) const override {
    LocalProduct added = product;
    added.beta = 1;
    kernel_->apply(added, stream);
  }
  void multiply_several(const LocalProduct& product, Stream stream) const override {
    multiply(product, stream);
  }

  std::unique_ptr<SpmvKernel> kernel_;
  std::int64_t reread_bytes_;  ///< of y
};

}  // namespace

Layout LocalKernels::layout() const {
  const auto takes_one = [](const SpmvKernel* kernel) {
    return kernel != nullptr && !kernel->takes_several();
  };
  const SpmvKernel* all[] = {interior.get(), boundary.get(), sums.get(), added.get()};
  return vectors > 1 && std::ranges::any_of(all, takes_one) ? Layout::column : Layout::row;
}

std::optional<std::int64_t> LocalKernels::dot_parts() const {
  if (vectors > 1) return {};
  if (order == Order::split || added) return {};
  const std::optional<std::int64_t> parts = interior->dot_parts();
  if (!boundary || !parts) return parts;
  const std::optional<std::int64_t> more = boundary->dot_parts();
  return more ? std::optional(*parts + *more) : more;
}

void LocalKernels::refill(Stream stream) {
  interior->refill(stream);
  if (boundary) boundary->refill(stream);
}

bool LocalKernels::copies_values() const {
  return interior->copies_values() && (!boundary || boundary->copies_values());
}

void LocalKernels::refill_from(const void* values, Stream stream) {
  interior->refill_from(values, stream);
  if (boundary) boundary->refill_from(values, stream);
}

KernelWork LocalKernels::work() const {
  KernelWork work = interior->work(vectors);
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
  if (boundary) add(boundary->work(vectors));
  if (sums) add(sums->work(vectors));
  if (added) add(added->work(vectors));
  return work;
}

std::unique_ptr<SpmvKernel> make_adding_kernel(const FormatEntry& format, const CsrView& matrix,
                                               RowListView rows, const Spec& options) {
  const auto value_bytes = static_cast<std::int64_t>(vector_value_bytes(matrix.precision));
  return std::make_unique<AddingKernel>(make_kernel(format, matrix, rows, options),
                                        value_bytes * rows.count);
}

LocalKernels make_interior_kernel(const OperatorParts& parts, Order order,
                                  const FormatEntry& format, const Spec& options) {
  LocalKernels kernels;
  kernels.order = suited(order, format);
  kernels.rows = parts.block.view().rows;
  kernels.type = parts.type();
  kernels.vectors = parts.vectors;
  kernels.repeatable = format.repeatable;
  kernels.canonical = format.canonical && kernels.order != Order::split;
  if (kernels.order == Order::split && parts.columns == nullptr) {
    throw std::logic_error("split takes a matrix that is cut by columns");
  }
  const RowListView rows =
      kernels.order == Order::overlap ? parts.block.interior() : all_rows(kernels.rows);
  CsrView matrix = kernels.order == Order::split ? parts.columns->owned() : parts.block.view();
  const bool needs_ghosts = kernels.order == Order::blocking;
  if (parts.foreign_vectors && !needs_ghosts) matrix.columns = parts.matrix.owned_columns;
  kernels.interior = make_kernel(format, matrix, rows, options);
  if (parts.sums != nullptr) add_sums(*parts.sums, kernels);
  return kernels;
}

void make_boundary_kernel(const OperatorParts& parts, const FormatEntry& format,
                          const Spec& options, LocalKernels& kernels) {
  if (kernels.order == Order::blocking) return;
  if (kernels.order == Order::split) {
    const RowListView rows = format.baseline ? all_rows(kernels.rows) : parts.block.boundary();
    kernels.boundary = make_adding_kernel(format, parts.columns->ghosts(), rows, options);
  } else {
    kernels.boundary = make_kernel(format, parts.block.view(), parts.block.boundary(), options);
  }
  kernels.repeatable = kernels.repeatable && format.repeatable;
  kernels.canonical = kernels.canonical && format.canonical;
  kernels.side.reset();
  if (suits_side_stream(parts, kernels)) kernels.side = std::make_unique<const SideStream>();
}

LocalKernels make_local_kernels(const OperatorParts& parts, Order order,
                                const Spec& interior_format, const Spec& boundary_format) {
  const Device device = parts.site.device;
  const FormatEntry& interior =
      find_format(interior_format.name(), device, interior_format.option());
  const FormatEntry& boundary =
      find_format(boundary_format.name(), device, boundary_format.option());
  LocalKernels kernels =
      make_interior_kernel(parts, suited(order, boundary), interior, interior_format);
  make_boundary_kernel(parts, boundary, boundary_format, kernels);
  return kernels;
}

}  // namespace rowhalo

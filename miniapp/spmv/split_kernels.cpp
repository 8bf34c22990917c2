// SPDX-License-Identifier: BSD-3-Clause
//
// The two kernels of the order `split` (split_kernels.hpp).
#include "miniapp/spmv/split_kernels.hpp"

namespace rowhalo {

namespace {

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

 private:
  void multiply(const LocalProduct& product, Stream stream) const override {
    LocalProduct added = product;
    added.beta = 1;
    kernel_->apply(added, stream);
  }

  std::unique_ptr<SpmvKernel> kernel_;
  std::int64_t reread_bytes_;  ///< of y
};

}  // namespace

std::unique_ptr<SpmvKernel> make_adding_kernel(const FormatEntry& format, const CsrView& matrix,
                                               RowListView rows, const Spec& options) {
  const auto value_bytes = static_cast<std::int64_t>(vector_value_bytes(matrix.precision));
  return std::make_unique<AddingKernel>(make_kernel(format, matrix, rows, options),
                                        value_bytes * rows.count);
}

LocalKernels make_owned_kernel(const LoadedColumns& columns, const FormatEntry& format,
                               const Spec& options) {
  LocalKernels kernels;
  kernels.order = Order::split;
  kernels.rows = columns.owned().rows;
  kernels.repeatable = format.repeatable;
  kernels.canonical = false;
  kernels.interior = make_kernel(format, columns.owned(), all_rows(kernels.rows), options);
  return kernels;
}

void make_ghost_kernel(const LoadedColumns& columns, RowListView boundary,
                       const FormatEntry& format, const Spec& options, LocalKernels& kernels) {
  const RowListView rows = format.baseline ? all_rows(kernels.rows) : boundary;
  kernels.boundary = make_adding_kernel(format, columns.ghosts(), rows, options);
  kernels.repeatable = kernels.repeatable && format.repeatable;
}

}  // namespace rowhalo

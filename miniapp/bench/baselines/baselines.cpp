// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels, exchange and order of the baselines (baselines.hpp).
#include "miniapp/bench/baselines/baselines.hpp"

#include "miniapp/bench/baselines/exchange_decorator.hpp"

namespace rowhalo {

namespace {

/// Adds to what y holds, whatever beta is.
class AddingKernel final : public SpmvKernel {
 public:
  AddingKernel(std::unique_ptr<SpmvKernel> kernel, std::int64_t reread_bytes)
      : kernel_(std::move(kernel)), reread_bytes_(reread_bytes) {}

  void apply(double alpha, const void* x, double, void* y, Stream stream) const override {
    kernel_->apply(alpha, x, 1.0, y, stream);
  }
  KernelWork work() const override {
    KernelWork work = kernel_->work();
    work.bytes += reread_bytes_;
    return work;
  }

 private:
  std::unique_ptr<SpmvKernel> kernel_;
  std::int64_t reread_bytes_;  ///< of y
};

/// Ghosts arrive on a stream that the host waits for.
class AwaitedExchange final : public ExchangeDecorator {
 public:
  explicit AwaitedExchange(std::unique_ptr<HaloExchange> halo)
      : ExchangeDecorator(*halo), halo_(std::move(halo)) {}

  void finish(const HaloVector& x, Stream) override {
    inner_.finish(x, arrival_.stream());
    arrival_.synchronize();
  }

 private:
  std::unique_ptr<HaloExchange> halo_;
  StreamHandle arrival_;
};

}  // namespace

std::unique_ptr<const LoadedColumns> columns_for(Schedule schedule, const LocalMatrix& matrix,
                                                 Precision precision, Device device) {
  if (!entry_of(schedule).baseline) return nullptr;
  return std::make_unique<LoadedColumns>(matrix, precision, device);
}

LocalKernels make_owned_kernel(const LoadedColumns& columns, const FormatEntry& format,
                               const Spec& options) {
  LocalKernels kernels;
  kernels.rows = columns.owned().rows;
  kernels.repeatable = format.repeatable;
  kernels.canonical = false;
  kernels.interior = make_kernel(format, columns.owned(), all_rows(kernels.rows), options);
  return kernels;
}

void make_ghost_kernel(const LoadedColumns& columns, RowListView boundary,
                       const FormatEntry& format, const Spec& options, LocalKernels& kernels) {
  const RowListView rows = format.baseline ? all_rows(kernels.rows) : boundary;
  const auto value_bytes =
      static_cast<std::int64_t>(vector_value_bytes(columns.ghosts().precision));
  kernels.boundary = std::make_unique<AddingKernel>(
      make_kernel(format, columns.ghosts(), rows, options), value_bytes * rows.count);
  kernels.repeatable = kernels.repeatable && format.repeatable;
}

std::unique_ptr<HaloExchange> exchange_for(Schedule schedule, Device device,
                                           std::unique_ptr<HaloExchange> halo) {
  if (schedule != Schedule::hpcg_like || device == Device::cpu) return halo;
  return std::make_unique<AwaitedExchange>(std::move(halo));
}

void apply_scheduled(Schedule schedule, const LocalKernels& kernels, HaloExchange& halo,
                     double alpha, const HaloVector& x, double beta, void* y, Stream stream) {
  DistributedSpmv(kernels, halo).apply(alpha, x, beta, y, stream);
  if (schedule == Schedule::hpcg_like && x.device == Device::gpu) synchronize(stream);
}

}  // namespace rowhalo

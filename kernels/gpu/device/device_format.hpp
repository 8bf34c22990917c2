// SPDX-License-Identifier: BSD-3-Clause
//
// What GPU formats have in common beside format_kernel.hpp: the check of each launch, how lanes are
// used, and the factories. A format includes this for all of these, for the number types of a
// precision and for memory on the device.
#pragma once

#include "kernels/format_kernel.hpp"
#include "kernels/gpu/device/device_work.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/number_types.hpp"
#include "kernels/gpu/device/runtime.hpp"

namespace rowhalo {

class DeviceFormat : public FormatKernel {
 public:
  void refill(Stream stream) final { take_values(csr_.values, stream); }
  void refill_from(const void* values, Stream stream) final {
    if (!copies_values()) return FormatKernel::refill_from(values, stream);
    take_values(values, stream);
  }

 protected:
  DeviceFormat(const CsrView& matrix, RowListView rows) : FormatKernel(matrix, rows) {}

  /// Launches the product of at least one row.
  virtual void launch_product(const LocalProduct& product, cudaStream_t stream) const = 0;
  /// The same with several vectors, where takes_several().
  virtual void launch_several([[maybe_unused]] const LocalProduct& product,
                              [[maybe_unused]] cudaStream_t stream) const {}

  /// Copies the values of at least one row from those of `matrix`; nothing where products read them
  /// where they are.
  virtual void refill_values([[maybe_unused]] const CsrView& matrix,
                             [[maybe_unused]] Stream stream) {}

  /// Without more, lanes lie side by side and idle on padding only.
  std::optional<LaneUse> lanes() const override {
    const std::int64_t slots = stored_entries();
    if (slots == 0) return LaneUse{};
    const Offset nonzeros = listed_nonzeros_on_device(csr_, rows_);
    return LaneUse{1, static_cast<double>(nonzeros) / static_cast<double>(slots)};
  }

 private:
  void take_values(const void* values, Stream stream) {
    CsrView matrix = csr_;
    matrix.values = values;
    if (rows_.count > 0) refill_values(matrix, stream);
  }
  void multiply(const LocalProduct& product, Stream stream) const final {
    if (rows_.count == 0) return;
    launch_product(product, native(stream));
    ROWHALO_CUDA(cudaGetLastError());
  }
  void multiply_several(const LocalProduct& product, Stream stream) const final {
    if (rows_.count == 0) return;
    launch_several(product, native(stream));
    ROWHALO_CUDA(cudaGetLastError());
  }
};

/// Kernel<Numbers>(matrix, rows, options, more...) with the number types of the matrix
/// (number_types.hpp).
template <template <class> class Kernel, auto... more>
std::unique_ptr<SpmvKernel> make_with_numbers(const CsrView& matrix, RowListView rows,
                                              const Spec& options) {
  return with_numbers(matrix.precision, [&]<class Numbers>() {
    return make_timed<Kernel<Numbers>>(0, matrix, rows, options, more...);
  });
}

/// The same with Kernel<T>, T double or float, for formats without reduced precision.
template <template <class> class Kernel, auto... more>
std::unique_ptr<SpmvKernel> make_with_wide_numbers(const CsrView& matrix, RowListView rows,
                                                   const Spec& options) {
  return with_wide_numbers(matrix.precision, [&]<class T>() {
    return make_timed<Kernel<T>>(0, matrix, rows, options, more...);
  });
}

}  // namespace rowhalo

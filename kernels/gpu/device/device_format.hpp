// SPDX-License-Identifier: BSD-3-Clause
//
// What formats that keep a copy of the local matrix on the device have in common: the matrix, the
// rows, the clock of the set-up, work() from three counts, and the factory.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "kernels/gpu/device/device_work.hpp"
#include "kernels/gpu/device/number_types.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "kernels/options.hpp"
#include "kernels/spmv_kernel.hpp"

namespace rowhalo {

class DeviceFormat : public SpmvKernel {
 public:
  KernelWork work() const final {
    const DeviceCounts counts = count_on_device(csr_, rows_);
    KernelWork work = work_of(counts, stored_entries(), matrix_bytes(counts));
    work.footprint_bytes = footprint_bytes();
    work.setup_seconds = setup_seconds_;
    const LaneUse use = lanes();
    work.coalescing = use.coalescing;
    work.balance = use.balance;
    work.parameters = parameters();
    return work;
  }

 protected:
  DeviceFormat(const CsrView& matrix, RowListView rows) : csr_(matrix), rows_(rows) {}

  /// To be called at the end of the constructor: set-up is over. `before`: what it took before.
  void stop_clock(double before = 0) {
    synchronize_device();
    setup_seconds_ = before + host_seconds() - start_;
  }

  /// Slots that hold an entry or padding.
  virtual std::int64_t stored_entries() const = 0;
  /// Read in a product, vectors apart.
  virtual std::int64_t matrix_bytes(const DeviceCounts& counts) const = 0;
  /// Held beside the CSR arrays.
  virtual std::int64_t footprint_bytes() const = 0;

  /// How warps use their lanes; without more, they lie side by side and idle on padding only.
  virtual LaneUse lanes() const {
    const std::int64_t slots = stored_entries();
    if (slots == 0) return {};
    const Offset nonzeros = listed_nonzeros_on_device(csr_, rows_);
    return {1, static_cast<double>(nonzeros) / static_cast<double>(slots)};
  }
  /// What the format chose by itself.
  virtual std::string parameters() const { return ""; }

  CsrView csr_;
  RowListView rows_;

 private:
  double start_ = host_seconds();
  double setup_seconds_ = 0;
};

/// Kernel<Numbers>(matrix, rows, options) with the number types of the matrix (number_types.hpp);
/// `keys`: the options that the format has.
template <template <class> class Kernel>
std::unique_ptr<SpmvKernel> make_with_numbers(const CsrView& matrix, RowListView rows,
                                              const Spec& options,
                                              std::initializer_list<std::string_view> keys) {
  check_format_options(options, keys);
  return with_numbers(matrix.precision, [&]<class Numbers>() -> std::unique_ptr<SpmvKernel> {
    return std::make_unique<Kernel<Numbers>>(matrix, rows, options);
  });
}

/// The same with Kernel<T>, T double or float, for formats without reduced precision.
template <template <class> class Kernel>
std::unique_ptr<SpmvKernel> make_with_wide_numbers(const CsrView& matrix, RowListView rows,
                                                   const Spec& options,
                                                   std::initializer_list<std::string_view> keys) {
  check_format_options(options, keys);
  return with_wide_numbers(matrix.precision, [&]<class T>() -> std::unique_ptr<SpmvKernel> {
    return std::make_unique<Kernel<T>>(matrix, rows, options);
  });
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What CPU formats have in common beside format_kernel.hpp: the parts of their rows or slices, one
// per thread (parts.hpp), the loop over them in the instructions of this CPU (isa.hpp), and the
// factory. A format includes this for all of these.
#pragma once

#include <fmt/format.h>

#include "kernels/bits.hpp"
#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/isa.hpp"
#include "kernels/cpu/parts.hpp"
#include "kernels/format_kernel.hpp"

namespace rowhalo {

class CpuFormat : public FormatKernel {
 protected:
  CpuFormat(const CsrView& matrix, RowListView rows) : FormatKernel(matrix, rows) {}

  /// Cuts `items` rows, slices or the like into parts of even cost (balanced_split).
  template <class Cost>
  void cut_parts(std::int64_t items, const Cost& cost_before) {
    bounds_ = balanced_split(items, parts_for(items), cost_before);
  }

  /// run(arguments, begin, end) for every part.
  template <class Run, class Arguments>
  void run_parts(Run run, const Arguments& arguments) const {
    for_each_part(bounds_,
                  [&](std::int64_t begin, std::int64_t end) { run(arguments, begin, end); });
  }

  /// Of the arrays that the format made, each of which a product reads.
  virtual std::int64_t held_bytes() const = 0;
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return held_bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override {
    return held_bytes() + static_cast<std::int64_t>(bounds_.size() * sizeof(bounds_[0]));
  }

  std::vector<std::int64_t> bounds_;
};

/// Kernel<T>(matrix, rows, options, more...), with T double or float as `matrix` holds; `keys`: the
/// options that the format has.
template <template <class> class Kernel, class... More>
std::unique_ptr<SpmvKernel> make_cpu_format(const CsrView& matrix, RowListView rows,
                                            const Spec& options,
                                            std::initializer_list<std::string_view> keys,
                                            const More&... more) {
  check_format_options(options, keys);
  const auto made = [&]<class T>(T) -> std::unique_ptr<SpmvKernel> {
    auto kernel = std::make_unique<Kernel<T>>(matrix, rows, options, more...);
    kernel->stop_clock();
    return kernel;
  };
  return matrix.precision == Precision::fp64 ? made(double{}) : made(float{});
}

}  // namespace rowhalo

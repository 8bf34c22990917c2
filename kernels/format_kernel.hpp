// SPDX-License-Identifier: BSD-3-Clause
//
// What the kernels of all formats have in common, on CPU and GPU: the matrix, the rows, the clock
// of the set-up, and work() from a few counts.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>

#include "kernels/cost_model.hpp"
#include "kernels/options.hpp"
#include "kernels/product_arguments.hpp"

namespace rowhalo {

/// What a format's file defines as NAME_format; NAME and the rest stand in formats.inc.
struct FormatParts {
  /// As FormatEntry has them (formats.hpp).
  std::unique_ptr<SpmvKernel> (*make)(const CsrView& matrix, RowListView rows, const Spec& options);
  std::initializer_list<std::string_view> options;  ///< keys that may stand behind the name
  PredictionRule* predict = nullptr;                ///< where `auto` may choose it
};
#define FORMAT(device, function, ...) extern const FormatParts function##_format;
#include "kernels/formats.inc"

/// Of the host's steady clock. (Its header would take longer to compile than most kernels.)
double host_seconds();

class FormatKernel : public SpmvKernel {
 public:
  KernelWork work() const final;

  /// Set-up is over. `before`: what it took before this kernel was constructed.
  void stop_clock(double before = 0);

 protected:
  FormatKernel(const CsrView& matrix, RowListView rows) : csr_(matrix), rows_(rows) {}

  /// Slots that hold an entry or padding.
  virtual std::int64_t stored_entries() const = 0;
  /// Read in a product, vectors apart; without more, what the format holds and the list of rows.
  virtual std::int64_t matrix_bytes(const RowCounts& counts) const {
    return footprint_bytes() + counts.row_list_bytes;
  }
  /// Held beside the CSR arrays.
  virtual std::int64_t footprint_bytes() const = 0;
  /// How warps use their lanes (KernelWork::coalescing, ::balance), if that is known.
  virtual std::optional<LaneUse> lanes() const { return {}; }
  /// What the format chose by itself.
  virtual std::string parameters() const { return ""; }

  CsrView csr_;
  RowListView rows_;

 private:
  double start_ = host_seconds();
  double setup_seconds_ = 0;
};

/// A kernel whose set-up is timed. `before`: what it took before this call.
template <class Kernel, class... Arguments>
std::unique_ptr<SpmvKernel> make_timed(double before, Arguments&&... arguments) {
  auto kernel = std::make_unique<Kernel>(std::forward<Arguments>(arguments)...);
  kernel->stop_clock(before);
  return kernel;
}

}  // namespace rowhalo

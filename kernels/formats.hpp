// SPDX-License-Identifier: BSD-3-Clause
//
// The table of formats. --help, `rowhalo list formats`, messages, README and tests are made from
// it. Adding a format is one new file with its factory and one line in formats.inc.
#pragma once

#include <initializer_list>
#include <memory>

#include "kernels/cost_model.hpp"

namespace rowhalo {

struct FormatEntry {
  const char* name;
  const char* summary;  ///< one line
  Device device;
  bool canonical;   ///< gives the bits of spmv_kernel.hpp
  bool automatic;   ///< `auto` may choose it
  bool repeatable;  ///< the same bits every time
  bool baseline;  ///< a vendor's library: takes only the list of all rows (rows.groups == nullptr)
  bool reduced_precision;  ///< takes mixed, fp16 and bf16, not only fp64 and fp32
  /// Builds the kernel for the listed rows, on the current device where `device` is gpu. The arrays
  /// behind `matrix` and `rows` lie in the memory of `device` and outlive the kernel. Throws
  /// InputError (refusal with numbers, or an unknown option in `options`). Null where it is not
  /// built.
  std::unique_ptr<SpmvKernel> (*make)(const CsrView& matrix, RowListView rows, const Spec& options);
  /// Bytes per product before it is made; null where that cannot be said: then `auto` tries it.
  PredictionRule* predict;
  /// What make_kernel() lets options name; null: `make` sees to that.
  const std::initializer_list<std::string_view>* options = nullptr;
  bool refillable = false;  ///< its kernels have SpmvKernel::refill()
};

/// All entries, CPU first: the same in every build. The first that `auto` may choose in a
/// precision takes any rows and is canonical where formats of that precision are.
std::span<const FormatEntry> formats();

/// Why `entry` cannot be used in this build or on this machine; empty where it can.
std::string unusable_reason(const FormatEntry& entry);

/// The kernel of `entry` for the listed rows; throws InputError where the format refuses, or cannot
/// be refilled and `matrix` asks for that.
std::unique_ptr<SpmvKernel> make_kernel(const FormatEntry& entry, const CsrView& matrix,
                                        RowListView rows, const Spec& options);

/// Whether the format takes matrices in `precision`.
bool takes(const FormatEntry& entry, Precision precision);

/// Entry `name` for `device`, as `option` named it; throws InputError listing the valid names, or
/// saying why that format is not usable here.
const FormatEntry& find_format(std::string_view name, Device device,
                               std::string_view option = "format");

}  // namespace rowhalo

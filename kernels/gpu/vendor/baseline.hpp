// SPDX-License-Identifier: BSD-3-Clause
//
// What the vendor's libraries do not take, in every baseline alike, and the factory. All throw
// InputError.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "kernels/format_kernel.hpp"

namespace rowhalo {

/// Throws std::runtime_error with the text of the call where `status` is not that of success, 0.
template <class Library, class Status>
void check_vendor(const Library& library, Status status, const char* call, const char* file,
                  int line) {
  if (status == Status{}) return;
  throw std::runtime_error(fmt::format("{}:{}: {}: {} ({})", file, line, call,
                                       library.error_string(status), library.error_name(status)));
}

/// Refuses more than 2^31 - 1 `entries`, which are called `name`.
inline void check_32_bits(std::int64_t entries, const char* name, const Spec& options) {
  if (entries <= std::numeric_limits<std::int32_t>::max()) return;
  options.fail(
      fmt::format("{} {} on a rank are more than 2^31 - 1, which cuSPARSE takes only with "
                  "64-bit columns; use more ranks, or sell",
                  entries, name));
}

/// Kernel(matrix, options, more...). Refuses lists of rows and matrices without nonzeros.
template <class Kernel, auto... more>
std::unique_ptr<SpmvKernel> make_baseline(const CsrView& matrix, RowListView rows,
                                          const Spec& options) {
  if (rows.groups != nullptr) {
    options.fail("a baseline takes all rows of a rank at once; use --schedule blocking");
  }
  if (matrix.nonzeros == 0) options.fail("a baseline takes no matrix without nonzeros");
  return make_timed<Kernel>(0, matrix, options, more...);
}

}  // namespace rowhalo

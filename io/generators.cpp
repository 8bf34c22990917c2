// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes that generators refuse (generators.hpp).
#include "io/generators.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <limits>

namespace rowhalo {

GlobalIndex checked_product(const Spec& spec, GlobalIndex a, GlobalIndex b) {
  if (b != 0 && a > std::numeric_limits<GlobalIndex>::max() / b) {
    spec.fail("the matrix has more rows than 64 bits can count; ask for a smaller one");
  }
  return a * b;
}

void check_size(const Spec& spec, const Comm& comm, GlobalIndex rows, double entries_per_row) {
  const double total = static_cast<double>(rows) * entries_per_row;
  if (total >= 0x1p63) {
    spec.fail("the matrix has more entries than 64 bits can count; ask for a smaller one");
  }
  constexpr double bytes_per_entry = sizeof(GlobalIndex) + sizeof(double);
  const double needed =
      (total * bytes_per_entry + static_cast<double>(rows) * sizeof(Offset)) / comm.size;
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed > memory) {
    spec.fail(
        fmt::format("each of the {} ranks needs {:.3g} GB for its rows but its host has {:.3g} GB; "
                    "ask for a smaller matrix or use more hosts",
                    comm.size, needed / 1e9, memory / 1e9));
  }
}

}  // namespace rowhalo

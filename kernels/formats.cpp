// SPDX-License-Identifier: BSD-3-Clause
//
// The table of formats. To add one: its file in cpu/ or gpu/, its factory's name below, one line in
// the table. Everything else (help, messages, tests) follows from the table.
#include "kernels/formats.hpp"

#include <fmt/format.h>

#include "partition/base/errors.hpp"

namespace rowhalo {

using Factory = std::unique_ptr<SpmvKernel>(const CsrView&, RowListView, const Spec&);
Factory make_csr, make_csr_omp, make_sell;

namespace {

constexpr Device cpu = Device::cpu;
constexpr bool canonical = true, automatic = true;

constexpr FormatEntry table[] = {
    {"csr", "compressed sparse rows, one thread", cpu, canonical, !automatic, make_csr},
    {"csr-omp", "compressed sparse rows, even nonzeros a thread", cpu, canonical, automatic,
     make_csr_omp},
    {"sell", "sliced ELLPACK: c= rows a slice, sorted by length within sigma= rows", cpu, canonical,
     automatic, make_sell},
};

}  // namespace

std::span<const FormatEntry> formats() {
  return table;
}

const FormatEntry& find_format(std::string_view name, Device device) {
  std::vector<std::string> names;
  for (const FormatEntry& entry : table) {
    if (entry.device != device) continue;
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw InputError(fmt::format("unknown format '{}' for device {}; use {}", name, name_of(device),
                               listed(names)));
}

}  // namespace rowhalo

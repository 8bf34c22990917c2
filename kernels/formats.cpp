// SPDX-License-Identifier: BSD-3-Clause
//
// The table of formats. To add one: its file in cpu/ or gpu/, its factory's name below, one line in
// the table. Everything else (help, messages, tests) follows from the table.
#include "kernels/formats.hpp"

#include <fmt/format.h>

#include "kernels/gpu/runtime.hpp"
#include "partition/base/errors.hpp"

#if ROWHALO_HAVE_CUDA
#define ROWHALO_GPU(factory) factory
#else
#define ROWHALO_GPU(factory) nullptr
#endif

namespace rowhalo {

using Factory = std::unique_ptr<SpmvKernel>(const CsrView&, RowListView, const Spec&);
Factory make_csr, make_csr_omp, make_sell;

namespace {

constexpr Device cpu = Device::cpu, gpu = Device::gpu;
constexpr bool canonical = true, automatic = true, baseline = true;

constexpr FormatEntry table[] = {
    {"csr", "compressed sparse rows, one thread", cpu, canonical, !automatic, !baseline, make_csr},
    {"csr-omp", "compressed sparse rows, even nonzeros a thread", cpu, canonical, automatic,
     !baseline, make_csr_omp},
    {"sell", "sliced ELLPACK: c= rows a slice, sorted by length within sigma= rows", cpu, canonical,
     automatic, !baseline, make_sell},
};

}  // namespace

std::span<const FormatEntry> formats() {
  return table;
}

std::string unusable_reason(const FormatEntry& entry) {
  if (entry.device == cpu) return "";
  if (!built_with_cuda()) return "built without CUDA; configure with -D ROWHALO_WITH_CUDA=ON";
  return device_count() > 0 ? "" : "no CUDA device on this machine";
}

const FormatEntry& find_format(std::string_view name, Device device) {
  std::vector<std::string> names;
  for (const FormatEntry& entry : table) {
    if (entry.device != device) continue;
    names.push_back(entry.name);
    if (entry.name != name) continue;
    const std::string reason = unusable_reason(entry);
    if (!reason.empty()) {
      throw InputError(fmt::format("format '{}' for device {}: {}", name, name_of(device), reason));
    }
    return entry;
  }
  throw InputError(fmt::format("unknown format '{}' for device {}; use {}", name, name_of(device),
                               listed(names)));
}

}  // namespace rowhalo

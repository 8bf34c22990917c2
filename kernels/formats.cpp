// SPDX-License-Identifier: BSD-3-Clause
//
// The table of formats (formats.inc) and how entries of it are found and made. Everything else
// (help, messages, pages, tests) follows from the table.
#include "kernels/formats.hpp"

#include <fmt/format.h>

#include "kernels/format_kernel.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/errors.hpp"
#include "partition/base/suggestion.hpp"

namespace rowhalo {

namespace {

constexpr Device cpu = Device::cpu, gpu = Device::gpu;
constexpr unsigned canonical = 1, automatic = 2, repeatable = 4, baseline = 8,
                   reduced_precision = 16, refillable = 32;

/// `parts`: null where it is not built.
FormatEntry entry(const char* name, const char* summary, Device device, unsigned promises,
                  const FormatParts* parts) {
  const auto has = [&](unsigned promise) { return (promises & promise) != 0; };
  FormatEntry entry{name,           summary,         device,        has(canonical),
                    has(automatic), has(repeatable), has(baseline), has(reduced_precision),
                    nullptr,        nullptr};
  entry.refillable = has(refillable);
  if (parts == nullptr) return entry;
  entry.make = parts->make;
  entry.predict = parts->predict;
  entry.options = &parts->options;
  return entry;
}

// What is built of a device: a build without CUDA has the GPU formats' lines alone.
#define ROWHALO_BUILT_cpu(parts) &parts
#if ROWHALO_HAVE_CUDA
#define ROWHALO_BUILT_gpu(parts) &parts
#else
#define ROWHALO_BUILT_gpu(parts) nullptr
#endif

}  // namespace

std::span<const FormatEntry> formats() {
#define FORMAT(device, function, name, promises, summary) \
  entry(name, summary, device, promises, ROWHALO_BUILT_##device(function##_format)),
  static const FormatEntry table[] = {
#include "kernels/formats.inc"
  };
  return table;
}

std::string unusable_reason(const FormatEntry& entry) {
  if (entry.device == cpu) return "";
  if (!built_with_cuda()) return "built without CUDA; configure with -D ROWHALO_WITH_CUDA=ON";
  return device_count() > 0 ? "" : "no CUDA device on this machine";
}

bool takes(const FormatEntry& entry, Precision precision) {
  return entry.reduced_precision || precision == Precision::fp64 || precision == Precision::fp32;
}

std::unique_ptr<SpmvKernel> make_kernel(const FormatEntry& entry, const CsrView& matrix,
                                        RowListView rows, const Spec& options) {
  const auto others = [&](const auto& suits) {
    std::vector<std::string> names;
    for (const FormatEntry& other : formats()) {
      if (other.device == entry.device && suits(other)) names.push_back(other.name);
    }
    return names.empty() ? "use a GPU" : "use " + listed(names);
  };
  if (!takes(entry, matrix.precision)) {
    const std::string remedy =
        others([&](const FormatEntry& other) { return takes(other, matrix.precision); });
    options.fail(fmt::format("not in precision {}, only in fp64 and fp32; {}",
                             name_of(matrix.precision), remedy));
  }
  if (matrix.refillable && !entry.refillable) {
    options.fail("its values cannot be replaced; " +
                 others([](const FormatEntry& other) { return other.refillable; }));
  }
  if (entry.options != nullptr) check_format_options(options, *entry.options);
  const DeviceMemoryReuse reuse;
  return entry.make(matrix, rows, options);
}

const FormatEntry& find_format(std::string_view name, Device device, std::string_view option) {
  const std::string place = fmt::format("{} {}", option, name);
  std::vector<std::string> names;
  bool of_other_device = false;
  for (const FormatEntry& entry : formats()) {
    if (entry.device != device) {
      of_other_device = of_other_device || entry.name == name;
      continue;
    }
    names.push_back(entry.name);
    if (entry.name != name) continue;
    const std::string reason = unusable_reason(entry);
    if (!reason.empty()) {
      throw InputError(place, fmt::format("not usable on device {}: {}", name_of(device), reason));
    }
    return entry;
  }
  if (of_other_device) {
    const Device other = device == cpu ? gpu : cpu;
    throw InputError(place,
                     fmt::format("runs on device {} only, and this run uses device {}; use {}, or "
                                 "--device {}",
                                 name_of(other), name_of(device), listed(names), name_of(other)));
  }
  const std::string remedy = fmt::format("on device {} use {}", name_of(device), listed(names));
  if (option == "--format") names.insert(names.end(), {"auto", "all"});
  throw InputError(place, "unknown format" + suggestion(name, names, remedy));
}

}  // namespace rowhalo

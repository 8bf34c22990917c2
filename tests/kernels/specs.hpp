// SPDX-License-Identifier: BSD-3-Clause
//
// Names of formats with options, as --format takes them, that kernels are tested with.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/isa.hpp"
#include "kernels/formats.hpp"

namespace rowhalo::battery {

/// `simd=` values that this machine can run.
inline std::vector<std::string> simd_options() {
  std::vector<std::string> options{"simd=0"};
  if (usable(Isa::avx2)) options.push_back("simd=256");
  if (usable(Isa::avx512)) options.push_back("simd=512");
  return options;
}

/// `spec` with one more key=value.
inline std::string with_option(const std::string& spec, const std::string& option) {
  return spec + (spec.find(':') == std::string::npos ? ":" : ",") + option;
}

/// Names that CPU formats take beside those of the table, so that the battery meets what they do:
/// bsr with sizes that it would not choose.
inline std::vector<std::string> variants(const std::string& name) {
  if (name == "bsr") return {"bsr:b=3", "bsr:b=2", "bsr:b=8"};
  if (name == "hyb") return {"hyb", "hyb:width=0", "hyb:width=5"};
  if (name == "asell") return {"asell", "asell:codes=off,sigma=64"};
  return {name};
}

/// What forces each way to read x by index, in both precisions, where there are two.
inline std::vector<std::string> gather_options(const std::string& name) {
  if (!usable(Isa::avx512)) return {};
  if (name == "asell") return {"gather=on", "gather=off"};
  if (name == "sell") return {"c=16,gather=on", "c=32,gather=on", "gather=off"};
  return {};
}

/// Every CPU format of the table, with its variants, and with each instruction set.
inline std::vector<std::string> cpu_specs(bool canonical_only) {
  std::vector<std::string> specs;
  for (const FormatEntry& entry : formats()) {
    if (entry.device != Device::cpu || (canonical_only && !entry.canonical)) continue;
    for (const std::string& spec : variants(entry.name)) {
      specs.push_back(spec);
      for (const std::string& simd : simd_options()) specs.push_back(with_option(spec, simd));
      for (const std::string& way : gather_options(entry.name)) {
        specs.push_back(with_option(spec, way));
      }
    }
  }
  return specs;
}

/// With padding without limit, where some format of that name pads.
inline std::string unlimited(const std::string& spec) {
  const std::string name = spec.substr(0, spec.find(':'));
  const bool limited = spec.find("max_padding") == std::string::npos;
  for (const FormatEntry& entry : formats()) {
    if (entry.name != name || entry.options == nullptr || !limited) continue;
    const auto is_limit = [](std::string_view key) { return key == "max_padding"; };
    if (std::ranges::any_of(*entry.options, is_limit)) return with_option(spec, "max_padding=1e9");
  }
  return spec;
}

/// sell with slices and windows of many sizes, padded without limit.
inline std::vector<std::string> sell_specs() {
  std::vector<std::string> specs;
  for (const char* c : {"1", "2", "4", "8", "16", "32"}) {
    for (const char* sigma : {"1", "64", "100000"}) {
      for (const std::string& simd : simd_options()) {
        specs.push_back(std::string("sell:c=") + c + ",sigma=" + sigma + ",max_padding=1e9," +
                        simd);
      }
    }
  }
  return specs;
}

}  // namespace rowhalo::battery

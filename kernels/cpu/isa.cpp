// SPDX-License-Identifier: BSD-3-Clause
//
// Which instruction sets this CPU has, and the option that names one (isa.hpp).
#include "kernels/cpu/isa.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "partition/base/errors.hpp"
#include "partition/base/suggestion.hpp"

namespace rowhalo {

namespace {

constexpr const char* variable = "ROWHALO_SIMD";

struct NamedIsa {
  const char* name;   ///< in the environment
  std::int64_t bits;  ///< of simd=
  Isa isa;
  const char *needs, *without;  ///< without: what to do on another CPU
};

constexpr std::array<NamedIsa, 3> named_isas{
    {{"avx512", 512, Isa::avx512, "AVX-512 F, DQ and VL",
      "leave simd out to get the best that is left"},
     {"avx2", 256, Isa::avx2, "AVX2 and FMA", "use simd=0"},
     {"none", 0, Isa::plain, "", ""}}};

bool cpu_has(Isa isa) {
  if (isa == Isa::plain) return true;
#if defined(__x86_64__)
  if (isa == Isa::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx512) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
  }
#endif
  return false;
}

}  // namespace

std::string isa_request() {
  const char* text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

Isa isa_limit() {
  const std::string request = isa_request();
  if (request.empty()) return Isa::avx512;
  const auto named = std::find_if(named_isas.begin(), named_isas.end(),
                                  [&](const NamedIsa& one) { return one.name == request; });
  if (named == named_isas.end()) {
    throw InputError(fmt::format(
        "{}={}: avx512, avx2 or none is expected{}", variable, request,
        suggestion(request, {"avx512", "avx2", "none"}, "unset it to use the widest of this CPU")));
  }
  if (!cpu_has(named->isa)) {
    throw InputError(
        fmt::format("{}={}: needs a CPU with {}, which this is not; unset it to use "
                    "the widest of this CPU",
                    variable, request, named->needs));
  }
  return named->isa;
}

bool usable(Isa isa) {
  return isa <= isa_limit() && cpu_has(isa);
}

Isa widest_isa() {
  static const Isa isa = usable(Isa::avx512) ? Isa::avx512
                         : usable(Isa::avx2) ? Isa::avx2
                                             : Isa::plain;
  return isa;
}

Isa chosen_isa(const Spec& options) {
  if (!options.has("simd")) return widest_isa();
  const std::int64_t bits = options.integer("simd", 0, 0);
  const auto named = std::find_if(named_isas.begin(), named_isas.end(),
                                  [&](const NamedIsa& one) { return one.bits == bits; });
  if (named == named_isas.end()) options.fail("simd must be 0, 256 or 512");
  if (!usable(named->isa)) {
    options.fail(fmt::format("simd={} needs a CPU with {}, which this is not or {} excludes; {}",
                             bits, named->needs, variable, named->without));
  }
  return named->isa;
}

}  // namespace rowhalo

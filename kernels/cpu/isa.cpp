// SPDX-License-Identifier: BSD-3-Clause
//
// Which instruction sets this CPU has, and the option that names one (isa.hpp).
#include "kernels/cpu/isa.hpp"

namespace rowhalo {

bool usable(Isa isa) {
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

Isa widest_isa() {
  static const Isa isa = usable(Isa::avx512) ? Isa::avx512
                         : usable(Isa::avx2) ? Isa::avx2
                                             : Isa::plain;
  return isa;
}

Isa chosen_isa(const Spec& options) {
  if (!options.has("simd")) return widest_isa();
  Isa named = Isa::plain;
  switch (options.integer("simd", 0, 0)) {
    case 0:
      break;
    case 256:
      named = Isa::avx2;
      break;
    case 512:
      named = Isa::avx512;
      break;
    default:
      options.fail("simd must be 0, 256 or 512");
  }
  if (!usable(named)) {
    options.fail(named == Isa::avx2
                     ? "simd=256 needs a CPU with AVX2 and FMA, which this is not; use simd=0"
                     : "simd=512 needs a CPU with AVX-512 F, DQ and VL, which this is not; leave "
                       "simd out to get the best that this CPU has");
  }
  return named;
}

}  // namespace rowhalo

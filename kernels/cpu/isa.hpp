// SPDX-License-Identifier: BSD-3-Clause
//
// One kernel body, compiled for several instruction sets, one of which is chosen at run time.
// A body is a struct with
//   Arguments                                           plain data, what a product needs
//   template <int vector_bytes> static void run(const Arguments&, std::int64_t begin, std::int64_t
//   end)
// where run() is [[gnu::always_inline]] and so are the functions it calls in its loops: they are
// compiled anew inside each of the three functions below, with the instructions that those may use.
// vector_bytes is the width of a vector register. The bits do not depend on the choice.
// Every CPU format takes `simd=0|256|512`, so that each path can be forced. ROWHALO_SIMD in the
// environment (avx512, avx2 or none) makes a CPU one that has no wider instructions than those.
#pragma once

#include <cstdint>
#include <string>

#include "partition/base/spec.hpp"

namespace rowhalo {

enum class Isa {
  plain,   ///< what the compiler was told to assume; std::fma
  avx2,    ///< x86-64 with AVX2 and FMA
  avx512,  ///< x86-64 with AVX-512 F, DQ and VL
};

/// The value of ROWHALO_SIMD; empty if it is not set.
std::string isa_request();

/// The widest that ROWHALO_SIMD allows. Throws InputError if its value is unknown, or names what
/// this CPU lacks.
Isa isa_limit();

/// Whether this CPU can run it, and ROWHALO_SIMD allows it. Throws as isa_limit().
bool usable(Isa isa);

/// The widest usable one.
Isa widest_isa();

/// The same, or the one that the option `simd` names. Throws InputError when that is
/// none, or not usable here.
Isa chosen_isa(const Spec& options);

template <class Body>
using RangeFunction = void (*)(const typename Body::Arguments&, std::int64_t begin,
                               std::int64_t end);

template <class Body>
void run_plain(const typename Body::Arguments& arguments, std::int64_t begin, std::int64_t end) {
  Body::template run<16>(arguments, begin, end);
}

#if defined(__x86_64__)
template <class Body>
[[gnu::target("avx2,fma")]] void run_avx2(const typename Body::Arguments& arguments,
                                          std::int64_t begin, std::int64_t end) {
  Body::template run<32>(arguments, begin, end);
}

template <class Body>
[[gnu::target("avx512f,avx512dq,avx512vl,fma")]] void run_avx512(
    const typename Body::Arguments& arguments, std::int64_t begin, std::int64_t end) {
  Body::template run<64>(arguments, begin, end);
}
#endif

/// The body compiled for `isa`.
template <class Body>
RangeFunction<Body> for_isa([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return run_avx512<Body>;
  if (isa == Isa::avx2) return run_avx2<Body>;
#endif
  return run_plain<Body>;
}

/// The body compiled for AVX-512; null where `isa` is another.
template <class Body>
RangeFunction<Body> for_avx512([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return run_avx512<Body>;
#endif
  return nullptr;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// ROWHALO_SIMD: what it excludes counts as missing in the CPU; other values are refused.
#include <cstdlib>

#include "kernels/cpu/isa.hpp"
#include "partition/base/errors.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

/// Sets the variable for one test case; the one that the tests were started with comes back.
class Request {
 public:
  explicit Request(const char* value) : before_(isa_request()) { set(value); }
  ~Request() { set(before_.c_str()); }
  static void set(const char* value) { setenv("ROWHALO_SIMD", value, 1); }

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("ROWHALO_SIMD excludes wider instructions") {
  const Request request("");
  const bool has_avx2 = usable(Isa::avx2), has_avx512 = usable(Isa::avx512);
  Request::set("none");
  CHECK(usable(Isa::plain));
  CHECK_FALSE(usable(Isa::avx2));
  CHECK_FALSE(usable(Isa::avx512));
  CHECK_THROWS_AS(chosen_isa(Spec::parse("csr:simd=256", "")), InputError);
  CHECK(chosen_isa(Spec::parse("csr:simd=0", "")) == Isa::plain);
  Request::set("avx2");
  if (has_avx2) {
    CHECK(usable(Isa::avx2));
    CHECK_FALSE(usable(Isa::avx512));
  } else {
    CHECK_THROWS_AS(usable(Isa::plain), InputError);
  }
  Request::set("avx512");
  if (has_avx512) {
    CHECK(usable(Isa::avx512));
  } else {
    CHECK_THROWS_AS(usable(Isa::plain), InputError);
  }
}

TEST_CASE("Other values of ROWHALO_SIMD are refused") {
  const Request request("");
  for (const char* wrong : {"AVX2", "512", "avx", "none "}) {
    Request::set(wrong);
    CHECK_THROWS_WITH(usable(Isa::plain),
                      Catch::Matchers::StartsWith(std::string("ROWHALO_SIMD=") + wrong +
                                                  ": avx512, avx2 or none is expected; "));
  }
}

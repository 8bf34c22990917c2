// SPDX-License-Identifier: BSD-3-Clause
//
// NAME[:argument][,key=value]...: what is accepted and what is refused, with which message.
#include "partition/base/spec.hpp"

#include "partition/base/errors.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

TEST_CASE("specs are taken apart", "[spec]") {
  const Spec plain = Spec::parse("nnz", "--partition");
  REQUIRE(plain.name() == "nnz");
  REQUIRE(plain.argument().empty());
  REQUIRE(plain.integer_argument(7) == 7);

  const Spec spec = Spec::parse("stencil7:200,ny=64,f=0.5", "--matrix");
  REQUIRE(spec.text() == "stencil7:200,ny=64,f=0.5");
  REQUIRE(spec.name() == "stencil7");
  REQUIRE(spec.integer_argument(1) == 200);
  REQUIRE(spec.has("ny"));
  REQUIRE_FALSE(spec.has("nx"));
  REQUIRE(spec.integer("ny", 1) == 64);
  REQUIRE(spec.integer("nx", 5) == 5);
  REQUIRE(spec.number("f", 1) == 0.5);
  REQUIRE_NOTHROW(spec.allow_only({"ny", "f"}));
}

TEST_CASE("wrong specs are refused", "[spec]") {
  for (const char* text : {"", ":", "a:", "a:b,c", "a:b,", "a:,b=1", "a:x=1,x=2"}) {
    CAPTURE(text);
    REQUIRE_THROWS_AS(Spec::parse(text, "--matrix"), InputError);
  }
  const Spec spec = Spec::parse("a:b,n=x,m=0,k=7.5", "--matrix");
  REQUIRE_THROWS_AS(spec.integer_argument(1), InputError);
  REQUIRE_THROWS_AS(spec.integer("n", 1), InputError);
  REQUIRE_THROWS_AS(spec.integer("m", 1), InputError);
  REQUIRE_THROWS_AS(spec.integer("k", 1), InputError);
  REQUIRE_THROWS_AS(spec.number("n", 1), InputError);
  REQUIRE_THROWS_WITH(spec.allow_only({"n", "m"}),
                      "--matrix a:b,n=x,m=0,k=7.5: unknown key 'k'; 'a' takes n or m");
}

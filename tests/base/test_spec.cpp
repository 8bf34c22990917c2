// SPDX-License-Identifier: BSD-3-Clause
//
// NAME[:argument][,key=value]...: what is understood, what is refused, and what the messages say.
#include "partition/base/spec.hpp"

#include "partition/base/errors.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

/// The message with which `action` throws InputError; empty when it does not throw.
template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

Spec parse(std::string_view text) {
  return Spec::parse(text, "--matrix");
}

}  // namespace

TEST_CASE("a bare name") {
  const Spec spec = parse("stencil27");
  CHECK(spec.text() == "stencil27");
  CHECK(spec.name() == "stencil27");
  CHECK(spec.argument().empty());
  CHECK_FALSE(spec.has("nx"));
  CHECK(spec.integer("nx", 7) == 7);
  CHECK(spec.number("fill", 0.5) == 0.5);
  CHECK(spec.integer_argument(9) == 9);
}

TEST_CASE("an argument and keys") {
  const Spec spec = parse("stencil7:200,ny=64,fill=0.3");
  CHECK(spec.text() == "stencil7:200,ny=64,fill=0.3");
  CHECK(spec.name() == "stencil7");
  CHECK(spec.argument() == "200");
  CHECK(spec.integer_argument(9) == 200);
  CHECK(spec.has("ny"));
  CHECK(spec.integer("ny", 0) == 64);
  CHECK(spec.number("fill", 0) == 0.3);
}

TEST_CASE("keys without an argument, and a path as argument") {
  const Spec keys = parse("random:seed=-3");
  CHECK(keys.argument().empty());
  CHECK(keys.integer("seed", 0, -10, 10) == -3);
  CHECK(parse("file:/tmp/a:b.txt").argument() == "/tmp/a:b.txt");
  CHECK(parse("random:seed=9223372036854775807").integer("seed", 0) == INT64_MAX);
}

TEST_CASE("malformed texts are refused with option and text") {
  for (const char* text : {"", ":5", "a:", "a:1,", "a:,b=1", "a:1,2", "a:b=1,c", "a:b=1,b=2"}) {
    const std::string message = refusal([&] { parse(text); });
    INFO("'" << text << "' " << message);
    CHECK(message.rfind("--matrix " + std::string(text) + ": ", 0) == 0);
  }
}

TEST_CASE("numbers that are none, or out of range") {
  const Spec spec = parse("g:x=12a,y=5,z=,w=99999999999999999999");
  CHECK(refusal([&] { spec.integer("x", 0); }).find("x wants an integer, not '12a'") !=
        std::string::npos);
  CHECK(refusal([&] { spec.integer("z", 0); }).find("wants an integer") != std::string::npos);
  CHECK(refusal([&] { spec.integer("w", 0); }).find("wants an integer") != std::string::npos);
  CHECK(refusal([&] { spec.number("x", 0); }).find("x wants a number") != std::string::npos);
  CHECK(refusal([&] { spec.integer("y", 0, 6); }).find("at least 6") != std::string::npos);
  CHECK(refusal([&] { spec.integer("y", 0, 1, 4); }).find("1..4") != std::string::npos);
  CHECK(refusal([&] { spec.integer("y", 0, 5, 5); }).empty());
  for (const std::string wrong : {"ten", "-", "1e3", "+5"}) {
    CHECK(refusal([&] { parse(("g:" + wrong).c_str()).integer_argument(1); }) ==
          "--matrix g:" + wrong + ": '" + wrong + "' is not an integer; write e.g. g:100");
  }
  CHECK(refusal([] { parse("g:ten").integer_argument(1, 1, 62); }).ends_with("write e.g. g:20"));
  CHECK(refusal([] { parse("g:-1").integer_argument(1); }).find("at least 1") != std::string::npos);
}

TEST_CASE("words of a list") {
  const Spec spec = parse("elasticity:4,mesh=hex");
  CHECK(spec.word("mesh", {"tet", "hex"}) == "hex");
  CHECK(spec.word("order", {"first", "second"}) == "first");
  CHECK(refusal([&] {
          spec.word("mesh", {"tet", "quad"});
        }) == "--matrix elasticity:4,mesh=hex: mesh is 'hex'; it must be tet or quad");
  CHECK(refusal([&] {
          spec.word("mesh", {"hexa", "tet"});
        }) ==
        "--matrix elasticity:4,mesh=hex: mesh is 'hex'; did you mean hexa? It must be hexa or tet");
}

TEST_CASE("unknown keys are refused with those that exist") {
  const Spec spec = parse("g:nx=1,nq=2");
  const std::string message = refusal([&] { spec.allow_only({"nx", "ny", "nz"}); });
  CHECK(message.find("'nq'") != std::string::npos);
  CHECK(message.find("nx, ny or nz") != std::string::npos);
  CHECK(refusal([&] { spec.allow_only({}); }).find("takes no key=value") != std::string::npos);
  CHECK(refusal([&] { spec.allow_only({"nq", "nx"}); }).empty());
  CHECK(refusal([] { parse("g:5").allow_only({}); }).empty());
}

TEST_CASE("lists of names") {
  CHECK(listed({}) == "nothing");
  CHECK(listed({"a"}) == "a");
  CHECK(listed({"a", "b"}) == "a or b");
  CHECK(listed({"a", "b", "c"}) == "a, b or c");
}

// SPDX-License-Identifier: BSD-3-Clause
//
// A shared library gives its functions, and says what is missing.
#include "partition/base/shared_library.hpp"

#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a function of a shared library can be called") {
  const SharedLibrary mathematics("libm.so.6");
  CHECK(mathematics.function<double(double, double)>("hypot")(3.0, 4.0) == 5.0);
}

TEST_CASE("a library or a function that is absent is named") {
  const std::string absent = error_of([] { SharedLibrary{"librowhalo_absent.so.7"}; });
  CHECK(absent.find("librowhalo_absent.so.7") != std::string::npos);
  const SharedLibrary mathematics("libm.so.6");
  CHECK(error_of([&] { mathematics.function<void()>("no_such_root"); }) ==
        "libm.so.6 lacks no_such_root()");
}

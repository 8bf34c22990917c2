// SPDX-License-Identifier: BSD-3-Clause
//
// Entries of x and y: functions of the number in the source, the same on whatever rank asks.
#include "miniapp/check/vector_spec.hpp"

#include <cmath>

#include "partition/base/hash.hpp"
#include "tests/mpi.hpp"

using namespace rowhalo;

namespace {

double entry(const std::string& text, GlobalIndex number, Precision precision = Precision::fp64) {
  Progress progress;
  const VectorSpec spec(text, "--x", 100, world(), progress);
  const GlobalIndex numbers[] = {number};
  return spec.entries(numbers, precision).front();
}

std::string error_of(const std::string& text) {
  try {
    entry(text, 0);
  } catch (const AgreedError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the named vectors") {
  CHECK(entry("ones", 17) == 1);
  CHECK(entry("zeros", 17) == 0);
  CHECK(entry("index", 17) == 18);
  CHECK(entry("log", 0) == std::log(std::sqrt(2.0)));
  CHECK(entry("log", 3) == std::log(std::sqrt(8.0)));
  CHECK(entry("random:seed=9", 5) == uniform_value(9, 5));
  CHECK(entry("random", 5) == uniform_value(1, 5));
  CHECK(entry("random", 5, Precision::fp32) == static_cast<float>(uniform_value(1, 5)));
}

TEST_CASE("a wrong vector is refused with the right names") {
  CHECK(error_of("twos").find("random:seed=N") != std::string::npos);
  CHECK(error_of("ones:seed=1").find("seed") != std::string::npos);
  CHECK(error_of("random:seed=x").find("integer") != std::string::npos);
  CHECK(error_of("nowhere/x.mtx").find("nowhere/x.mtx") != std::string::npos);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// The entry point that libFuzzer calls.
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  run_input({reinterpret_cast<const char*>(data), size});
  return 0;
}

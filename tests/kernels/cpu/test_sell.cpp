// SPDX-License-Identifier: BSD-3-Clause
//
// What only sell has: its refusal of too much padding and the limits of its options. Its results
// are tested with those of the other formats in test_formats.cpp and test_bits.cpp.
#include "partition/base/errors.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

TEST_CASE("sell refuses padding beyond its limit, with the numbers") {
  const Typed<double> a(heavy());
  // Slices of 32: 32 * 200000 + 32 slots, 6199969 of them padding, 31.0 times the nonzeros.
  try {
    make_kernel("sell:c=32", a.view(), all_rows(64));
    FAIL("accepted");
  } catch (const InputError& error) {
    const std::string message = error.what();
    INFO(message);
    for (const char* part : {"--format sell:c=32", "6400032 slots", "200063 nonzeros", "31.0 times",
                             "74 MB", "max_padding", "csr-omp"}) {
      CHECK(message.find(part) != std::string::npos);
    }
  }
  CHECK_NOTHROW(make_kernel("sell:c=32,max_padding=31", a.view(), all_rows(64)));
  CHECK_THROWS_AS(make_kernel("sell:c=32,max_padding=30.9", a.view(), all_rows(64)), InputError);
  CHECK_NOTHROW(make_kernel("sell:c=4", a.view(), all_rows(64)));
  // Half the values, two thirds of the padding: 50 MB.
  CHECK_NOTHROW(make_kernel("sell:c=32", Typed<float>(heavy()).view(), all_rows(64)));
  CHECK_NOTHROW(make_kernel("sell:c=1,max_padding=0", a.view(), all_rows(64)));
  // The rows of the list decide, not those of the block.
  const std::vector<LocalIndex> light{0, 1, 2, 3, 4, 5, 6, 7, 40, 41};
  const RowList list = make_row_list(light);
  CHECK_NOTHROW(make_kernel("sell:c=8,max_padding=0", a.view(), list.view()));
}

TEST_CASE("a single long row is not padded to a whole slice") {
  const Matrix matrix = pattern("row", 1, 1000, [](auto, auto) { return true; });
  const Typed<double> a(matrix);
  const auto kernel = make_kernel("sell:c=32,max_padding=0", a.view(), all_rows(1));
  CHECK(kernel->work().footprint_bytes < 1000 * 12 + 100);
}

TEST_CASE("sell refuses options out of range") {
  const Typed<double> a(heavy());
  for (const char* spec :
       {"sell:c=3", "sell:c=0", "sell:c=64", "sell:c=x", "sell:sigma=0", "sell:sigma=-4",
        "sell:max_padding=-1", "sell:max_padding=nan", "sell:C=8"}) {
    INFO(spec);
    CHECK_THROWS_AS(make_kernel(spec, a.view(), all_rows(64)), InputError);
  }
}

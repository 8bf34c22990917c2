// SPDX-License-Identifier: BSD-3-Clause
//
// What only sell has: its refusal of too much padding and the limits of its options. Its results
// are tested with those of the other formats in test_formats.cpp and test_bits.cpp.
#include "kernels/cpu/gather_trial.hpp"
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
        "sell:max_padding=-1", "sell:max_padding=nan", "sell:C=8", "sell:gather=maybe",
        "sell:c=4,gather=on", "sell:simd=0,gather=on"}) {
    INFO(spec);
    CHECK_THROWS_AS(make_kernel(spec, a.view(), all_rows(64)), InputError);
  }
}

TEST_CASE("sell and asell read x by the gather instruction where they are told to, and say so") {
  if (!usable(Isa::avx512)) {
    NOT_TESTED("this CPU has no AVX-512");
    return;
  }
  const Matrix matrix = with_random_values(random(3000, 3000));
  const Typed<double> a(matrix);
  const auto says = [](const KernelWork& work) {
    return work.parameters.find("gather=on") != std::string::npos;
  };
  for (const char* name : {"sell", "asell"}) {
    CHECK(says(work_of(with_option(name, "gather=on"), a.view())));
    CHECK_FALSE(says(work_of(with_option(name, "gather=off"), a.view())));
  }
  // 8 sums of fp32 fill half a register.
  const Typed<float> reduced(heavy());
  CHECK_THROWS_AS(make_kernel("sell:c=8,gather=on", reduced.view(), all_rows(64)), InputError);
  CHECK_NOTHROW(make_kernel("sell:c=16,gather=on", reduced.view(), all_rows(64)));
}

TEST_CASE("a sample of slices covers a small matrix, and little of a large one") {
  const auto slots_in = [](const std::vector<Piece>& pieces, std::int64_t slots) {
    std::int64_t sum = 0, last = 0;
    for (const Piece& piece : pieces) {
      CHECK(last <= piece.begin);
      CHECK(piece.begin <= piece.end);
      sum += (piece.end - piece.begin) * slots;
      last = piece.end;
    }
    return sum;
  };
  CHECK(slots_in(sample_of_slices(0, [](auto) { return 0; }), 8) == 0);
  CHECK(slots_in(sample_of_slices(1000, [](auto slice) { return slice * 8; }), 8) == 8000);
  const auto some = slots_in(sample_of_slices(10000000, [](auto slice) { return slice * 8; }), 8);
  CHECK((some > 64 * 32000 && some < 64 * 33000));
}

// SPDX-License-Identifier: BSD-3-Clause
//
// The schema that is committed is the one that follows from the fields of a report; test_io
// "[update]" writes it. check_schema.py holds reports against it.
#include <fstream>
#include <iterator>

#include "io/report/writers.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

TEST_CASE("The schema is what the fields of a report say") {
  std::ifstream file(ROWHALO_SCHEMA);
  const std::string committed{std::istreambuf_iterator<char>(file), {}};
  INFO(ROWHALO_SCHEMA << " is out of date: run test_io \"[update]\"");
  CHECK(committed == report_schema());
}

TEST_CASE("Writes the schema", "[.update]") {
  CHECK_NOTHROW(write_text_file(ROWHALO_SCHEMA, report_schema()));
}

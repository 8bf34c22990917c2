// SPDX-License-Identifier: BSD-3-Clause
//
// Input files: regular ones are opened, others refused without waiting for anybody.
#include "partition/base/regular_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "partition/base/errors.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

std::string refusal_to_open(const std::string& path) {
  try {
    ::close(open_regular_file(path).descriptor);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("Only regular files are opened") {
  alarm(20);  // who waits for a pipe is killed
  const std::string name = "regular_file_test_" + std::to_string(getpid());
  std::ofstream(name) << "12345";
  const RegularFile file = open_regular_file(name);
  CHECK(file.bytes == 5);
  char text[5];
  CHECK(::read(file.descriptor, text, sizeof text) == 5);
  ::close(file.descriptor);
  std::remove(name.c_str());

  CHECK(refusal_to_open(name) ==
        name +
            ": cannot be opened: No such file or directory; check the path and its "
            "permissions, on every host");
  REQUIRE(mkfifo(name.c_str(), 0600) == 0);
  CHECK(refusal_to_open(name) ==
        name + ": is a pipe, but input must be a regular file; copy it into one");
  std::remove(name.c_str());
  CHECK(refusal_to_open("/dev/null") ==
        "/dev/null: is a device, but input must be a regular file; copy it into one");
  CHECK(refusal_to_open("/") == "/: is a directory; name a file in it");
  CHECK_THROWS_WITH(check_regular_file("/", "--x"), "--x /: is a directory; name a file in it");
  alarm(0);
}

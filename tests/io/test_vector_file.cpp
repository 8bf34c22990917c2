// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors to files and back: the same bits, on any number of ranks.
#include "io/vector_file.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "partition/base/hash.hpp"
#include "partition/base/spec.hpp"
#include "tests/io/shared_file.hpp"

using namespace rowhalo;

namespace {

/// This rank's even share of a vector that every rank knows.
std::vector<double> share_of(const std::vector<double>& vector) {
  const auto size = static_cast<GlobalIndex>(vector.size());
  return {vector.begin() + even_split(size, 1, world().size, world().rank),
          vector.begin() + even_split(size, 1, world().size, world().rank + 1)};
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  bool same = a.size() == b.size();
  for (std::size_t k = 0; same && k < a.size(); ++k) {
    same = canonical_bits(a[k]) == canonical_bits(b[k]);
  }
  return same;
}

std::vector<double> awkward_numbers() {
  using limits = std::numeric_limits<double>;
  std::vector<double> numbers{0.0,
                              -0.0,
                              1.0,
                              -1.5,
                              0.1,
                              1e22,
                              1e23,
                              1.0 / 3,
                              5e-324,
                              -5e-324,
                              2.2250738585072011e-308,
                              limits::min(),
                              limits::max(),
                              -limits::max(),
                              limits::infinity(),
                              -limits::infinity(),
                              limits::quiet_NaN(),
                              -limits::quiet_NaN(),
                              123456789012345680.0};
  for (std::uint64_t k = 0; k < 2000; ++k) {
    const double number = std::bit_cast<double>(mix64(k));
    if (!std::isnan(number)) numbers.push_back(number);
  }
  return numbers;
}

/// As messages list the kinds of files.
std::string usages(bool written) {
  std::vector<std::string> names;
  for (const SourceEntry& entry : sources()) {
    if (entry.is_file() && (!written || entry.writes(FileUse::vector))) {
      names.push_back(entry.vector_usage);
    }
  }
  return listed(names);
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

}  // namespace

TEST_CASE("Vectors keep their bits") {
  const SharedDirectory directory;
  Progress progress;
  const std::string path = directory.path("x.mtx");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{1500}}) {
    std::vector<double> vector = awkward_numbers();
    vector.resize(size);
    write_vector(path, share_of(vector), Precision::fp64, world(), progress);
    const auto read = read_vector(path, static_cast<GlobalIndex>(size), world(), progress);
    REQUIRE_ALL_RANKS(same_bits(read, share_of(vector)));
    REQUIRE_ALL_RANKS(files_in(directory.path("")) == std::vector<std::string>{"x.mtx"});
  }
}

TEST_CASE("fp32 numbers are written in their own shortest form") {
  const SharedDirectory directory;
  Progress progress;
  const std::string path = directory.path("x.mtx");
  std::vector<double> vector{0.1f, 1.0f, 16777216.0f, 1e-45f, -3.4028235e38f};
  for (std::uint32_t k = 0; k < 500; ++k) {
    const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(mix64(k)));
    if (std::isfinite(number)) vector.push_back(number);
  }
  write_vector(path, share_of(vector), Precision::fp32, world(), progress);
  const auto read = read_vector(path, static_cast<GlobalIndex>(vector.size()), world(), progress);
  const std::vector<double> share = share_of(vector);
  bool same = read.size() == share.size();
  for (std::size_t k = 0; same && k < share.size(); ++k) {
    same = static_cast<float>(read[k]) == static_cast<float>(share[k]);
  }
  REQUIRE_ALL_RANKS(same);
  REQUIRE_ALL_RANKS(contents(path).starts_with("%%MatrixMarket matrix array real general\n" +
                                               std::to_string(vector.size()) +
                                               " 1\n0.1\n1\n16777216\n1e-45\n-3.4028235e+38\n"));
}

TEST_CASE("The text is the same for any number of ranks") {
  const SharedDirectory directory;
  Progress progress;
  const std::vector<double> vector{1, -0.5, 1e300, std::nan(""), -HUGE_VAL, 7, 8, 9, 10};
  write_vector(directory.path("y.mtx"), share_of(vector), Precision::fp64, world(), progress);
  REQUIRE_ALL_RANKS(contents(directory.path("y.mtx")) ==
                    "%%MatrixMarket matrix array real general\n9 1\n"
                    "1\n-0.5\n1e+300\nnan\n-inf\n7\n8\n9\n10\n");
}

TEST_CASE("Vector files that do not fit") {
  const SharedDirectory directory;
  const auto error = [&](const std::string& name, const std::string& text, GlobalIndex size) {
    const std::string path = directory.write(name, text);
    return agreed_error([&] {
      Progress progress;
      read_vector(path, size, world(), progress);
    });
  };
  const std::string banner = "%%MatrixMarket matrix array real general\n";
  const std::string path = directory.path("x.mtx");
  REQUIRE_ALL_RANKS(error("x.mtx", banner + "3 1\n1\n2\n3\n", 4) ==
                    "2 " + path + ": the vector has 3 entries where 4 are needed");
  REQUIRE_ALL_RANKS(error("x.mtx", banner + "1 3\n1\n2\n3\n", 4) ==
                    "2 " + path + ": the vector has 3 entries where 4 are needed");
  REQUIRE_ALL_RANKS(error("x.mtx", banner + "3 2\n1\n2\n3\n4\n5\n6\n", 3) ==
                    "2 " + path +
                        ": is 3 x 2, and no vector; choose one of its 2 columns, counted "
                        "from 1: " +
                        path + ":column=1");
  REQUIRE_ALL_RANKS(error("x.mtx", banner + "3 1\n1\n2\nq\n", 3) ==
                    "2 " + path + ":5: the value 'q' is not a number; correct the line");
  REQUIRE_ALL_RANKS(error("x.txt", "1\n", 1) ==
                    "2 " + directory.path("x.txt") +
                        ": neither its content nor its name says what kind of file it is; use " +
                        usages(false));
}

TEST_CASE("Vector files that cannot be written leave nothing behind") {
  const SharedDirectory directory;
  Progress progress;
  const auto check = [&](const std::string& path) {
    return agreed_error([&] { check_target(path, "--save-y", FileUse::vector, world()); });
  };
  REQUIRE_ALL_RANKS(check(directory.path("y.mtx")) == "none");
  REQUIRE_ALL_RANKS(check("y.csv") ==
                    "2 --save-y y.csv: the kind of file is not known by its name; use " +
                        usages(true));
  const std::string missing = directory.path("no/y.mtx");
  REQUIRE_ALL_RANKS(
      check(missing).starts_with("2 --save-y " + missing + ": there is no directory"));

  const std::vector<double> share(world().rank + 1, 1.0);
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      write_vector(missing, share, Precision::fp64, world(), progress);
                    }).starts_with("1 " + missing + ": cannot be written: No such file"));
  // The place is taken by a directory: the last step, the renaming, fails.
  const std::string taken = directory.path("taken.mtx");
  if (world().rank == 0) std::filesystem::create_directory(taken);
  REQUIRE_ALL_RANKS(check(taken) == "2 --save-y " + taken + ": is a directory; name a file in it");
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      write_vector(taken, share, Precision::fp64, world(), progress);
                    }).starts_with("1 " + taken + ": cannot be renamed into place"));
  REQUIRE_ALL_RANKS(files_in(directory.path("")) == std::vector<std::string>{"taken.mtx"});
}

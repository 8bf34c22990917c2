// SPDX-License-Identifier: BSD-3-Clause
//
// Which mistyped names are told what was meant, and which are not.
#include "partition/base/suggestion.hpp"
#include "tests/catch.hpp"

using rowhalo::suggestion;

namespace {

const std::vector<std::string> names{"mpi", "mpi-shared", "nccl", "p2p", "stencil27", "auto"};

/// The name that is suggested for `word`, or nothing.
std::string meant(const std::string& word) {
  const std::string text = suggestion(word, names, "use one of them");
  const std::string begin = "; did you mean ", end = "? Use one of them";
  if (!text.starts_with(begin)) {
    CHECK(text == "; use one of them");
    return {};
  }
  REQUIRE(text.ends_with(end));
  return text.substr(begin.size(), text.size() - begin.size() - end.size());
}

}  // namespace

TEST_CASE("A letter in three may differ") {
  CHECK(meant("nccc") == "nccl");
  CHECK(meant("ncl") == "nccl");
  CHECK(meant("mpi-shred") == "mpi-shared");
  CHECK(meant("stensil72") == "stencil27");  // a letter replaced, two swapped
  CHECK(meant("stancel27x") == "stencil27");
  CHECK(meant("pigeon").empty());
  CHECK(meant("nope").empty());
}

TEST_CASE("Swapped neighbours are one mistake, and case is none") {
  CHECK(meant("atuo") == "auto");
  CHECK(meant("NCCL") == "nccl");
  CHECK(meant("p2P") == "p2p");
}

TEST_CASE("What other programs call it, and beginnings") {
  const std::vector<std::string> options{"--halo",           "--format", "--tolerance",
                                         "--preconditioner", "--dry",    "--method",
                                         "--max-iterations"};
  const auto meant_option = [&](const std::string& word) {
    const std::string text = suggestion(word, options, "see");
    const std::size_t end = text.find('?');
    return end == std::string::npos ? "" : text.substr(15, end - 15);
  };
  CHECK(meant_option("--transport") == "--halo");
  CHECK(meant_option("--kernel") == "--format");
  CHECK(meant_option("--tol") == "--tolerance");
  CHECK(meant_option("--rtol") == "--tolerance");
  CHECK(meant_option("--pc") == "--preconditioner");
  CHECK(meant_option("--dry-run") == "--dry");
  CHECK(meant_option("--ma") == "");  // of two letters too many names begin with it
  CHECK(meant("mpi") == "mpi");
  CHECK(meant("stenc") == "stencil27");
  CHECK(meant("parmetis").empty());  // of no use where there is no metis
  CHECK(suggestion("Double", {"fp64", "fp32"}, "x") == "; did you mean fp64? X");
}

TEST_CASE("Words too short to tell, and no names") {
  CHECK(meant("").empty());
  CHECK(meant("mp").empty());
  CHECK(suggestion("mpi", {}, "see --help") == "; see --help");
}

TEST_CASE("The nearest name, of equals the first") {
  CHECK(suggestion("bet", {"best", "beta"}, "x") == "; did you mean best? X");
  CHECK(suggestion("betta", {"best", "beta"}, "x") == "; did you mean beta? X");
}

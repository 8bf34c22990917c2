// SPDX-License-Identifier: BSD-3-Clause
//
// file: owners as they stand in the file, whatever the number of ranks; every fault with the line
// where it stands.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

namespace {

/// A file that rank 0 writes and removes; its name is the same on all ranks.
class OwnersFile {
 public:
  OwnersFile(const Comm& comm, const std::string& text) : comm_(comm) {
    if (comm.rank == 0) {
      path_ = "owners_" + std::to_string(getpid()) + ".txt";
      std::ofstream(path_) << text;
    }
    broadcast(comm, path_);
  }
  ~OwnersFile() {
    if (comm_.rank == 0) std::remove(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  Comm comm_;
  std::string path_;
};

std::vector<int> assign(const Comm& comm, const TestMatrix& matrix, const std::string& path,
                        int parts) {
  const Spec spec = Spec::parse("file:" + path, "--partition");
  Progress progress;
  return find_partitioner("file").assign(even_share(comm, matrix), parts, spec, comm, progress);
}

const auto diagonal = [](GlobalIndex i, GlobalIndex j) { return i == j; };

}  // namespace

TEST_CASE("owners are those of the file", "[file]") {
  const Comm comm = world();
  const TestMatrix matrix = make_test_matrix("wide", 20, 30, diagonal);
  std::string text = "% owners\n\n# of 20 rows\n";
  for (int row = 0; row < 20; ++row) {
    text += (row % 3 == 0 ? "  " : "") + std::to_string(row * 7 % 5) + (row == 4 ? " \r\n" : "\n");
    if (row == 11) text += "# half of it\n";
  }
  for (const std::string& end : {std::string("\n% end\n"), std::string()}) {
    const OwnersFile file(comm, text + end);
    const std::vector<int> owners = assign(comm, matrix, file.path(), 5);
    const GlobalIndex first = even_split(20, 1, comm.size, comm.rank);
    bool right = std::ssize(owners) == even_split(20, 1, comm.size, comm.rank + 1) - first;
    for (std::size_t k = 0; right && k < owners.size(); ++k) {
      right = owners[k] == (first + GlobalIndex(k)) * 7 % 5;
    }
    REQUIRE_ALL_RANKS(right);
  }
  const OwnersFile empty(comm, "");
  REQUIRE_ALL_RANKS(
      assign(comm, make_test_matrix("0 x 0", 0, 0, diagonal), empty.path(), 5).empty());
}

TEST_CASE("faults of the file are named with their line", "[file]") {
  const Comm comm = world();
  struct Fault {
    const char* text;
    int block;
    const char* message;
  };
  const std::string long_line = "0\n1\n1\n0" + std::string(10'000, ' ') + "\n";
  const Fault faults[] = {
      {"0\n1\n% two more\nx\n0\n", 1, ":4: 'x' is not an integer; the owner of row 2 is wanted"},
      {"0\n1\n1 2\n0\n", 1, ":3: '1 2' is not an integer; the owner of row 2 is wanted"},
      {"0\n1.5\n1\n0\n", 1, ":2: '1.5' is not an integer; the owner of row 1 is wanted"},
      {"0\n1\n1\n3\n", 1,
       ":4: the owner of row 3 is 3 but must be in 0..2; use as many ranks as the file is made "
       "for"},
      {"0\n-1\n1\n1\n", 1,
       ":2: the owner of row 1 is -1 but must be in 0..2; use as many ranks as the file is made "
       "for"},
      {"0\n99999999999\n1\n1\n", 1,
       ":2: the owner of row 1 is 99999999999 but must be in 0..2; use as many ranks as the file "
       "is made for"},
      {"0\n1\n\n", 1, ":3: the file ends after the owners of 2 rows, but square has 4 rows"},
      {"", 1, ":0: the file ends after the owners of 0 rows, but square has 4 rows"},
      {"0\n1\n1\n0\n2\n", 1, ":5: more lines than the 4 rows of square; one per row is wanted"},
      {long_line.c_str(), 1,
       ":4: the line is longer than 4095 characters or holds a null byte; check what the file is"},
      {"0\n0\n1\n2\n", 2,
       ":4: row 3 goes to 2, but the row before it to 1, and rows belong together in blocks of 2; "
       "give them one owner, or use --block 1"},
      {"0\n0\n2\n1\n", 2,
       ":4: row 3 goes to 1, but the row before it to 2, and rows belong together in blocks of 2; "
       "give them one owner, or use --block 1"},
  };
  for (const Fault& fault : faults) {
    CAPTURE(fault.text);
    const TestMatrix matrix = make_test_matrix("square", 4, 4, diagonal, fault.block);
    const OwnersFile file(comm, fault.text);
    std::string message;
    try {
      assign(comm, matrix, file.path(), 3);
    } catch (const AgreedError& error) {
      message = error.what();
    }
    CAPTURE(message);
    REQUIRE_ALL_RANKS(message == file.path() + fault.message);
  }
}

TEST_CASE("a pipe that nobody writes is refused", "[file]") {
  const Comm comm = world();
  const OwnersFile place(comm, "");  // a name of our own
  if (comm.rank == 0) {
    std::remove(place.path().c_str());
    mkfifo(place.path().c_str(), 0600);
  }
  std::string message;
  try {
    assign(comm, make_test_matrix("square", 4, 4, diagonal), place.path(), 3);
  } catch (const AgreedError& error) {
    message = error.what();
  }
  REQUIRE_ALL_RANKS(message.find(": is a pipe, but input must be a regular file") !=
                    std::string::npos);
}

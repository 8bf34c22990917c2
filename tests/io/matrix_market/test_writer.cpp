// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices to Matrix Market files and back: the same bits, and the same text on any number of
// ranks.

#include "io/matrix_market/reader.hpp"
#include "io/sources.hpp"
#include "tests/io/battery.hpp"

using namespace rowhalo;

namespace {

DistributedCsr small(const std::string& field, std::vector<double> values) {
  MatrixInfo info;
  info.rows = 3;
  info.columns = 12;
  info.field = field;
  std::vector<Entry> entries;
  for (std::size_t k = 0; k < values.size(); ++k) {
    entries.push_back({static_cast<int>(k % 3), static_cast<int>(k) * 2, values[k]});
  }
  return dealt_out(info, entries);
}

}  // namespace

TEST_CASE("Matrices keep their bits in Matrix Market files", "[matrix_market_writer]") {
  const SharedDirectory directory;
  Progress progress;
  for (const DistributedCsr& matrix : file_battery()) {
    for (const std::string name : {"a.mtx", "a.mtx.gz"}) {
      for (const std::int64_t piece : {std::int64_t{1} << 18, std::int64_t{3}}) {
        if (piece == 3 && matrix.info.columns > 1000) continue;  // too many rounds
        const std::string path = directory.path(name);
        write_matrix_market(path, matrix, world(), progress, piece);
        DistributedCsr back = load_matrix(path, matrix.info.block, world(), progress);
        REQUIRE_ALL_RANKS(same_matrix(matrix, back));
      }
    }
  }
}

TEST_CASE("The text is ordered and the shortest", "[matrix_market_writer]") {
  const SharedDirectory directory;
  Progress progress;
  const auto text = [&](const DistributedCsr& matrix, std::int64_t piece) {
    write_matrix_market(directory.path("a.mtx"), matrix, world(), progress, piece);
    return contents(directory.path("a.mtx"));
  };
  for (const std::int64_t piece : {1, 2, 100}) {
    REQUIRE_ALL_RANKS(text(small("real", {0.1, -2, 1e300, 4, std::nan("")}), piece) ==
                      "%%MatrixMarket matrix coordinate real general\n3 12 5\n"
                      "1 1 0.1\n1 7 4\n2 3 -2\n2 9 nan\n3 5 1e+300\n");
  }
}

TEST_CASE("The field is the source's where the values allow it", "[matrix_market_writer]") {
  const SharedDirectory directory;
  Progress progress;
  const auto field = [&](const std::string& source, std::vector<double> values) {
    const DistributedCsr matrix = small(source, std::move(values));
    write_matrix_market(directory.path("f.mtx"), matrix, world(), progress);
    const DistributedCsr back = load_matrix(directory.path("f.mtx"), 0, world(), progress);
    REQUIRE_ALL_RANKS(same_matrix(matrix, back));
    return back.info.field;
  };
  REQUIRE_ALL_RANKS(field("pattern", {1, 1, 1}) == "pattern");
  REQUIRE_ALL_RANKS(field("pattern", {1, 2, 1}) == "integer");
  REQUIRE_ALL_RANKS(field("integer", {1, -7, 9007199254740991}) == "integer");
  REQUIRE_ALL_RANKS(field("integer", {1, 0.5}) == "real");
  REQUIRE_ALL_RANKS(field("integer", {1, -0.0}) == "real");
  REQUIRE_ALL_RANKS(field("integer", {1, 0x1p60}) == "real");
  REQUIRE_ALL_RANKS(field("real", {1, 1}) == "real");
}

TEST_CASE("The symmetry is the source's where the matrix has it", "[matrix_market_writer]") {
  const SharedDirectory directory;
  Progress progress;
  const auto rewritten = [&](const std::string& banner, const std::string& body, bool changed) {
    const std::string path =
        directory.write("s.mtx", "%%MatrixMarket matrix coordinate " + banner + "\n" + body);
    DistributedCsr matrix = load_matrix(path, 0, world(), progress);
    if (changed) {
      for (double& value : matrix.values) value += static_cast<double>(matrix.first_row);
    }
    const std::uint64_t before = fingerprint(world(), matrix);
    write_matrix_market(directory.path("t.mtx"), matrix, world(), progress, 2);
    const DistributedCsr back = load_matrix(directory.path("t.mtx"), 0, world(), progress);
    REQUIRE_ALL_RANKS(fingerprint(world(), back) == before);
    return contents(directory.path("t.mtx"));
  };
  const std::string head = "%%MatrixMarket matrix coordinate ";
  for (const char* banner : {"integer symmetric", "real symmetric"}) {
    const std::string body = "3 3 3\n1 1 5\n2 1 -7\n3 3 1\n";
    REQUIRE_ALL_RANKS(rewritten(banner, body, false) == head + banner + "\n" + body);
  }
  const std::string pattern = "4 4 3\n2 1\n3 3\n4 2\n";
  REQUIRE_ALL_RANKS(rewritten("pattern symmetric", pattern, false) ==
                    head + "pattern symmetric\n" + pattern);
  const std::string skew = "4 4 2\n2 1 -7\n4 3 2\n";
  REQUIRE_ALL_RANKS(rewritten("integer skew-symmetric", skew, false) ==
                    head + "integer skew-symmetric\n" + skew);
  REQUIRE_ALL_RANKS(rewritten("integer skew-symmetric", "2 2 2\n2 1 3\n2 2 0\n", false)
                        .starts_with(head + "integer general\n2 2 3\n"));
  // What is no longer symmetric is written whole, whatever its source was.
  const std::string text = rewritten("real symmetric", "3 3 3\n1 1 5\n2 1 -7\n3 2 1\n", true);
  REQUIRE_ALL_RANKS(
      text.starts_with(head + (world().size == 1 ? "real symmetric" : "real general")));
}

TEST_CASE("Matrices that cannot be written leave nothing behind", "[matrix_market_writer]") {
  const SharedDirectory directory;
  Progress progress;
  const std::string missing = directory.path("no/a.mtx");
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      write_matrix_market(missing, small("real", {1}), world(), progress);
                    }).starts_with("1 " + missing + ": cannot be written: No such file"));
  const std::string taken = directory.path("taken.mtx");
  if (world().rank == 0) std::filesystem::create_directory(taken);
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      write_matrix_market(taken, small("real", {1}), world(), progress);
                    }).starts_with("1 " + taken + ": cannot be renamed into place"));
  const auto entries = std::filesystem::directory_iterator(directory.path(""));
  REQUIRE_ALL_RANKS(std::distance(begin(entries), end(entries)) == 1);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Every matrix of a directory of real ones, where there is such a directory: the environment
// variable ROWHALO_TEST_MATRICES, else one that the build knows of.
#include <algorithm>
#include <sstream>

#include "io/sources.hpp"
#include "tests/io/shared_file.hpp"

using namespace rowhalo;

namespace {

std::string matrices_directory() {
  const char* named = std::getenv("ROWHALO_TEST_MATRICES");
  return named != nullptr ? named : ROWHALO_TEST_MATRICES_DIR;
}

/// What a straightforward reader finds in the file: lines, and sums that do not depend on their
/// order.
struct Facts {
  std::string field, symmetry;
  GlobalIndex rows = 0, columns = 0;
  std::int64_t entries = 0;  // symmetric halves completed
  std::int64_t row_sum = 0, column_sum = 0;
};

std::string text_of(const std::string& path) {
  std::string text, block(1 << 20, '\0');
  const gzFile file = gzopen(path.c_str(), "rb");  // reads plain files too
  for (int count = 0; (count = gzread(file, block.data(), 1 << 20)) > 0;) {
    text.append(block, 0, count);
  }
  gzclose(file);
  return text;
}

Facts facts_of(const std::string& path) {
  std::istringstream text(text_of(path));
  std::string line, word;
  std::getline(text, line);
  Facts facts;
  std::istringstream(line) >> word >> word >> word >> facts.field >> facts.symmetry;
  while (std::getline(text, line) && line[0] == '%') {
  }
  std::istringstream(line) >> facts.rows >> facts.columns >> facts.entries;
  const bool mirrored = facts.symmetry != "general";
  for (std::int64_t k = facts.entries; k > 0; --k) {
    std::getline(text, line);
    char* end = nullptr;
    const GlobalIndex row = std::strtoll(line.c_str(), &end, 10) - 1;
    const GlobalIndex column = std::strtoll(end, nullptr, 10) - 1;
    facts.row_sum += row;
    facts.column_sum += column;
    if (!mirrored || row == column) continue;
    facts.row_sum += column;
    facts.column_sum += row;
    ++facts.entries;
  }
  return facts;
}

Facts facts_of(const DistributedCsr& matrix) {
  Facts facts{matrix.info.field,
              matrix.info.symmetry,
              matrix.info.rows,
              matrix.info.columns,
              sum_over_ranks(world(), matrix.local_nonzeros()),
              0,
              0};
  for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    facts.row_sum += (matrix.first_row + row) * (matrix.offsets[row + 1] - matrix.offsets[row]);
  }
  for (const GlobalIndex column : matrix.columns) facts.column_sum += column;
  facts.row_sum = sum_over_ranks(world(), facts.row_sum);
  facts.column_sum = sum_over_ranks(world(), facts.column_sum);
  return facts;
}

}  // namespace

TEST_CASE("Real matrices") {
  std::vector<std::string> paths;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(matrices_directory(), missing)) {
    const std::string path = entry.path().string();
    if (path.ends_with(".mtx") || path.ends_with(".mtx.gz")) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  if (paths.empty()) {
    NOT_TESTED("no matrices in " + matrices_directory());
    return;
  }
  Progress progress;
  for (const std::string& path : paths) {
    INFO(path);
    // One rank reads the file in the simple way, the others wait for its facts.
    Facts expected;
    if (world().rank == 0) expected = facts_of(path);
    broadcast(world(), expected.field);
    if (expected.field == "complex") {
      const std::string error = agreed_error([&] { load_matrix(path, 0, world(), progress); });
      REQUIRE_ALL_RANKS(error.starts_with("2 " + path + ":1: the field is complex"));
      continue;
    }
    const DistributedCsr matrix = load_matrix(path, 0, world(), progress);
    const Facts facts = facts_of(matrix);
    REQUIRE_ALL_RANKS(evenly_dealt(matrix));
    REQUIRE_ALL_RANKS(world().rank != 0 || facts.symmetry == expected.symmetry);
    REQUIRE_ALL_RANKS(facts.field == expected.field);
    REQUIRE_ALL_RANKS(world().rank != 0 || facts.rows == expected.rows);
    REQUIRE_ALL_RANKS(world().rank != 0 || facts.columns == expected.columns);
    REQUIRE_ALL_RANKS(world().rank != 0 || facts.entries == expected.entries);
    REQUIRE_ALL_RANKS(world().rank != 0 || facts.row_sum == expected.row_sum);
    REQUIRE_ALL_RANKS(world().rank != 0 || facts.column_sum == expected.column_sum);
  }
}

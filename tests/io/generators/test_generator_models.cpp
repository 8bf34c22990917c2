// SPDX-License-Identifier: BSD-3-Clause
//
// What each random generator promises of its rows: lengths, places, values.
#include <cmath>
#include <map>
#include <set>

#include "tests/io/generated.hpp"

using namespace rowhalo;

namespace {

/// Share of the entries of the whole matrix for which `counts(row, column)` holds.
template <class Counts>
double share_of_entries(const DistributedCsr& matrix, Counts counts) {
  std::int64_t chosen = 0;
  for (const ExactEntry& e : local_entries(matrix)) chosen += counts(e.row, e.column);
  return static_cast<double>(sum_over_ranks(world(), chosen)) /
         static_cast<double>(nonzeros(matrix));
}

bool all_values(const DistributedCsr& matrix, double low, double high) {
  return std::all_of(matrix.values.begin(), matrix.values.end(),
                     [&](double value) { return value >= low && value < high; });
}

}  // namespace

TEST_CASE("random: distinct ascending columns, the mean asked for, values in [-1, 1)") {
  for (const double mean : {0.0, 0.3, 4.0, 9.5, 29.0, 40.0}) {
    INFO("mean " << mean);
    const DistributedCsr matrix =
        load("random:rows=20000,columns=40,seed=5,row=" + std::to_string(mean));
    bool sound = true;
    GlobalIndex shortest = 1000, longest = 0;
    for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
      const auto begin = matrix.columns.begin() + matrix.offsets[row];
      const auto end = matrix.columns.begin() + matrix.offsets[row + 1];
      sound = sound && std::is_sorted(begin, end) && std::adjacent_find(begin, end) == end &&
              (begin == end || (*begin >= 0 && *(end - 1) < 40));
      shortest = std::min<GlobalIndex>(shortest, end - begin);
      longest = std::max<GlobalIndex>(longest, end - begin);
    }
    for (const double value : matrix.values) sound = sound && value >= -1 && value < 1;
    REQUIRE_ALL_RANKS(sound);
    const double nonzeros = static_cast<double>(sum_over_ranks(world(), matrix.local_nonzeros()));
    REQUIRE_ALL_RANKS(std::abs(nonzeros / 20000 - mean) <= 0.02 * std::max(mean, 1.0));
    if (mean == 9.5) {
      REQUIRE_ALL_RANKS(shortest <= 1);
      REQUIRE_ALL_RANKS(longest >= 18);
    }
  }
  // Columns are drawn evenly, and the seed matters.
  const DistributedCsr matrix = load_alone("random:rows=10000,columns=10,row=3,seed=5");
  std::map<GlobalIndex, int> drawn;
  for (const GlobalIndex column : matrix.columns) ++drawn[column];
  for (const auto& [column, times] : drawn) CHECK(std::abs(times - 3000) < 250);
  CHECK(matrix.columns != load_alone("random:rows=10000,columns=10,row=3,seed=6").columns);
}

TEST_CASE("Variable coefficients: diagonally dominant, of the values that are promised") {
  for (const char* name : {"stencil5:30", "stencil7:20", "stencil27:nx=20,ny=9,nz=17"}) {
    for (const char* coefficient : {"constant", "random", "jump"}) {
      const std::string spec = std::string(name) + ",coef=" + coefficient;
      INFO(spec);
      const DistributedCsr matrix = load(spec);
      bool dominant = true, promised = true;
      std::set<double> values;
      for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
        double diagonal = 0, others = 0;
        for (auto k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
          if (matrix.columns[k] == matrix.first_row + row) {
            diagonal = matrix.values[k];
          } else {
            others += -matrix.values[k];
            values.insert(-matrix.values[k]);
          }
        }
        dominant = dominant && diagonal >= others * (1 - 1e-14);
      }
      const std::string which = coefficient;
      for (const double c : values) {
        promised = promised && (which == "constant" ? c == 1
                                : which == "random" ? c >= 0.01 && c < 1.01
                                                    : c == 1 || c == 1000 || c == 2000.0 / 1001);
      }
      REQUIRE_ALL_RANKS(dominant);
      REQUIRE_ALL_RANKS(promised);
      if (world().size == 1 && which == "random") CHECK(values.size() > 1000);
      if (world().size == 1 && which == "jump") CHECK(values.size() == 3);
    }
  }
  REQUIRE_ALL_RANKS(fingerprint(world(), load("stencil27:6,coef=constant,seed=9")) ==
                    fingerprint(world(), load("stencil27:6")));
}

TEST_CASE("banded: the diagonal, and each place of the band equally often") {
  const DistributedCsr matrix = load("banded:rows=6000,half=100,fill=0.3,seed=2");
  std::vector<std::int64_t> at(201, 0);
  bool inside = true;
  for (const ExactEntry& e : local_entries(matrix)) {
    inside = inside && std::abs(e.row - e.column) <= 100;
    if (inside) ++at[e.column - e.row + 100];
  }
  REQUIRE_ALL_RANKS(inside);
  REQUIRE_ALL_RANKS(all_values(matrix, -1, 1));
  for (int place = 0; place < 201; ++place) {
    INFO("distance " << place - 100);
    const auto entries = static_cast<double>(sum_over_ranks(world(), at[place]));
    const double places = 6000 - std::abs(place - 100);
    if (place == 100) {
      REQUIRE_ALL_RANKS(entries == 6000);
    } else {  // five standard deviations
      REQUIRE_ALL_RANKS(std::abs(entries - 0.3 * places) < 5 * std::sqrt(0.21 * places));
    }
  }
  REQUIRE_ALL_RANKS(nonzeros(load("banded:rows=500,half=40,fill=0")) == 500);
  REQUIRE_ALL_RANKS(nonzeros(load("banded:rows=100,half=1000,fill=1")) == 10000);
  const auto rare = static_cast<double>(nonzeros(load("banded:rows=3000,half=1000,fill=0.001")));
  REQUIRE_ALL_RANKS(std::abs(rare - 3000 - 4999) < 5 * std::sqrt(4999.0));
}

TEST_CASE("rmat: skewed as its probabilities say, the same graph when it is scrambled") {
  const DistributedCsr matrix = load("rmat:scale=13");
  const GlobalIndex half = matrix.info.rows / 2;
  const auto quadrant = [&](bool lower, bool right) {
    return share_of_entries(matrix, [&](GlobalIndex row, GlobalIndex column) {
      return (row >= half) == lower && (column >= half) == right;
    });
  };
  // Repeated edges are most frequent in the first quadrant.
  REQUIRE_ALL_RANKS((quadrant(false, false) > 0.48 && quadrant(false, false) < 0.57));
  REQUIRE_ALL_RANKS(std::abs(quadrant(false, true) - 0.21) < 0.03);
  REQUIRE_ALL_RANKS(std::abs(quadrant(true, false) - 0.21) < 0.03);
  REQUIRE_ALL_RANKS(std::abs(quadrant(true, true) - 0.06) < 0.02);
  REQUIRE_ALL_RANKS(all_values(matrix, -1, 1));

  const DistributedCsr plain = load_alone("rmat:scale=11");
  const DistributedCsr scrambled = load_alone("rmat:scale=11,scramble=1");
  std::vector<Offset> lengths = row_lengths(plain), shuffled = row_lengths(scrambled);
  CHECK(lengths != shuffled);
  CHECK(lengths.front() == *std::max_element(lengths.begin(), lengths.end()));
  std::sort(lengths.begin(), lengths.end());
  std::sort(shuffled.begin(), shuffled.end());
  CHECK(lengths == shuffled);
  CHECK(local_entries(load_alone("rmat:scale=5,a=1,b=0,c=0")).size() == 1);
  CHECK(load_alone("rmat:scale=5,a=0,b=0,c=0").columns == std::vector<GlobalIndex>{31});
  CHECK(load_alone("rmat:scale=3,a=0,b=1,c=0").columns == std::vector<GlobalIndex>{7});
  CHECK(load_alone("rmat:scale=3,a=0,b=0,c=1").columns == std::vector<GlobalIndex>{0});
}

TEST_CASE("web: long rows, local runs, popular pages") {
  const DistributedCsr matrix = load("web:rows=200000,row=12");
  REQUIRE_ALL_RANKS(all_values(matrix, -1, 1));
  const std::vector<Offset> lengths = row_lengths(matrix);
  const auto longest =
      max_over_ranks(world(), std::int64_t{*std::max_element(lengths.begin(), lengths.end())});
  REQUIRE_ALL_RANKS((longest > 600 && longest < 12 * 2048));
  const double local = share_of_entries(
      matrix, [](GlobalIndex row, GlobalIndex column) { return row / 65536 == column / 65536; });
  REQUIRE_ALL_RANKS((local > 0.6 && local < 0.97));
  std::int64_t follows = 0;
  std::vector<std::int64_t> popular(16, 0);
  for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    for (auto k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      follows += k > matrix.offsets[row] && matrix.columns[k] == matrix.columns[k - 1] + 1;
      if (matrix.columns[k] < 16) ++popular[matrix.columns[k]];
    }
  }
  const auto entries = static_cast<double>(nonzeros(matrix));
  REQUIRE_ALL_RANKS(static_cast<double>(sum_over_ranks(world(), follows)) / entries > 0.5);
  // The first page has far more links to it than the mean of 12.
  REQUIRE_ALL_RANKS(sum_over_ranks(world(), popular[0]) > 1000);
  REQUIRE_ALL_RANKS(sum_over_ranks(world(), popular[0]) > sum_over_ranks(world(), popular[15]));
}

TEST_CASE("road: two to four streets a crossing, all but few in one network") {
  const DistributedCsr road = load_alone("road:nx=300,ny=200");
  std::map<Offset, int> crossings;
  for (const Offset length : row_lengths(road)) ++crossings[length];
  CHECK(crossings.size() == 3);
  CHECK((crossings[2] > 20000 && crossings[3] > 10000 && crossings[4] > 2000));
  CHECK(all_values(road, 0.5, 1.5));

  std::vector<bool> reached(road.local_rows(), false);
  std::vector<GlobalIndex> next{0};
  reached[0] = true;
  for (std::size_t k = 0; k < next.size(); ++k) {
    for (auto e = road.offsets[next[k]]; e < road.offsets[next[k] + 1]; ++e) {
      if (reached[road.columns[e]]) continue;
      reached[road.columns[e]] = true;
      next.push_back(road.columns[e]);
    }
  }
  CHECK(next.size() > 0.99 * 60000);
  const double near = share_of_entries(
      load("road:nx=300,ny=200"),
      [](GlobalIndex i, GlobalIndex j) { return i != j && std::abs(i - j) <= 256; });
  REQUIRE_ALL_RANKS((near > 0.9 && near < 1));
}

TEST_CASE("road: heavy rows are as long as asked for, the others are streets") {
  const DistributedCsr plain = load_alone("road:100"),
                       heavy = load_alone("road:100,heavy=2,row=900");
  const std::vector<Offset> streets = row_lengths(plain), lengths = row_lengths(heavy);
  for (GlobalIndex row = 0; row < 10000; ++row) {
    const bool long_row = row == 2500 || row == 7500;
    if (lengths[row] != (long_row ? 900 : streets[row])) FAIL("row " << row);
  }
  const auto end = heavy.columns.begin() + heavy.offsets[2501];
  CHECK((heavy.columns[heavy.offsets[2500]] < 12 && *(end - 1) >= 10000 - 12));
}

TEST_CASE("packed: rows of the same lengths whose columns are 0, 1, 2...") {
  for (const std::string spec : {"rmat:scale=8", "web:rows=500,row=6"}) {
    INFO(spec);
    const DistributedCsr packed = load_alone(spec + ",packed=1");
    CHECK(packed.offsets == load_alone(spec).offsets);
    for (const ExactEntry& e : local_entries(packed)) {
      if (e.column >= row_lengths(packed)[e.row]) FAIL("row " << e.row << " is not packed");
    }
  }
}

TEST_CASE("arrow: tridiagonal but for rows of the length that is asked for") {
  const DistributedCsr arrow = load_alone("arrow:rows=1000,heavy=3,row=400");
  const std::vector<Offset> lengths = row_lengths(arrow);
  CHECK(std::count(lengths.begin(), lengths.end(), 400) == 3);
  for (GlobalIndex row = 0; row < 1000; ++row) {
    const auto begin = arrow.columns.begin() + arrow.offsets[row];
    const auto end = arrow.columns.begin() + arrow.offsets[row + 1];
    if (!std::binary_search(begin, end, row)) FAIL("row " << row << " lacks its diagonal");
    if (lengths[row] == 400) {
      CHECK((*begin < 10 && *(end - 1) >= 990));
      CHECK((row == 166 || row == 499 || row == 832));
    } else if (*begin < row - 1 || *(end - 1) > row + 1) {
      FAIL("row " << row << " is not tridiagonal");
    }
  }
  CHECK(local_entries(load_alone("arrow:rows=3,heavy=0")) ==
        std::vector<ExactEntry>{exact(0, 0, 2), exact(0, 1, -1), exact(1, 0, -1), exact(1, 1, 2),
                                exact(1, 2, -1), exact(2, 1, -1), exact(2, 2, 2)});
}

TEST_CASE("empty: rows of one length or none, empty ones in runs and alone") {
  const DistributedCsr matrix = load_alone("empty:rows=50000,share=0.8,row=7");
  CHECK(all_values(matrix, -1, 1));
  std::int64_t empty = 0, run = 0, longest = 0, alone = 0;
  for (const Offset length : row_lengths(matrix)) {
    if (length != 0 && length != 7) FAIL("a row of " << length << " entries");
    empty += length == 0;
    if (length != 0 && run == 1) ++alone;
    run = length == 0 ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  CHECK(std::abs(static_cast<double>(empty) / 50000 - 0.8) < 0.04);
  CHECK(longest >= 128);
  CHECK(alone > 500);
  CHECK(load_alone("empty:rows=900,share=1").values.empty());
  CHECK(load_alone("empty:rows=900,share=0,row=3").values.size() == 2700);
}

TEST_CASE("values=ones and integers change no place") {
  for (const std::string spec :
       {"random:rows=300", "banded:rows=200,half=9", "rmat:scale=8", "web:rows=400", "road:20",
        "arrow:rows=300,row=80", "empty:rows=900", "lp:rows=20,columns=900"}) {
    INFO(spec);
    const DistributedCsr random = load(spec), ones = load(spec + ",values=ones"),
                         integers = load(spec + ",values=integers");
    REQUIRE_ALL_RANKS((ones.columns == random.columns && integers.columns == random.columns));
    const bool arrow = spec.starts_with("arrow");  // its short rows are -1, 2, -1
    REQUIRE_ALL_RANKS(std::all_of(ones.values.begin(), ones.values.end(), [&](double value) {
      return value == 1 || (arrow && (value == 2 || value == -1));
    }));
    REQUIRE_ALL_RANKS(std::all_of(integers.values.begin(), integers.values.end(), [](double value) {
      return value == std::trunc(value) && value != 0 && std::abs(value) <= 1000;
    }));
    const std::set<double> distinct(integers.values.begin(), integers.values.end());
    if (!arrow && integers.values.size() > 300) CHECK(distinct.size() > 150);
  }
}

TEST_CASE("lp: linking rows, blocks, dense columns") {
  constexpr GlobalIndex linking = 4, blocks = 5, rows = 54, columns = 20000;
  const DistributedCsr matrix =
      load("lp:rows=54,columns=20000,blocks=5,linking=4,fill=0.3,column=2.5,dense=8");
  std::vector<std::int64_t> of_columns(columns, 0);
  bool inside = true;
  std::int64_t linked = 0;
  for (const ExactEntry& e : local_entries(matrix)) {
    ++of_columns[e.column];
    linked += e.row < linking;
    const bool dense = e.column % (columns / 8) == columns / 16;
    const GlobalIndex block = (e.row - linking) / 10;
    inside = inside && (e.row < linking || dense || e.column / (columns / blocks) == block);
  }
  REQUIRE_ALL_RANKS(inside);
  linked = sum_over_ranks(world(), linked);
  REQUIRE_ALL_RANKS(std::abs(static_cast<double>(linked) / (linking * 0.3 * columns) - 1) < 0.03);
  const std::int64_t all = nonzeros(matrix), in_blocks = all - linked - 8 * (rows - linking);
  REQUIRE_ALL_RANKS(std::abs(static_cast<double>(in_blocks) / (2.5 * columns) - 1) < 0.03);
  for (GlobalIndex k = 0; k < 8; ++k) {
    const GlobalIndex column = columns / 8 * k + columns / 16;
    REQUIRE_ALL_RANKS(sum_over_ranks(world(), of_columns[column]) == rows);
  }
}

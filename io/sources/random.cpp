// SPDX-License-Identifier: BSD-3-Clause
//
// Source random: row i has a random number of entries, uniform around the mean `row`, in distinct
// columns drawn uniformly, with values uniform in [-1, 1). Everything in a row is a function of the
// seed and its number alone, so the matrix is the same for any number of ranks.
#include <algorithm>
#include <vector>

#include "io/generators.hpp"
#include "io/sources/loaders.hpp"
#include "partition/base/hash.hpp"

namespace rowhalo {

namespace {

struct RandomMatrix {
  GlobalIndex rows = 0, columns = 0;
  double mean = 16;
  std::uint64_t seed = 1;
};

RandomMatrix parse(const Spec& spec) {
  spec.allow_only({"rows", "columns", "row", "seed"});
  RandomMatrix random;
  random.rows = spec.integer("rows", spec.integer_argument(0));
  if (random.rows == 0) spec.fail("rows is missing; write random:rows=1000");
  random.columns = spec.integer("columns", random.rows);
  random.mean = spec.number("row", std::min(16.0, static_cast<double>(random.columns)));
  random.seed = static_cast<std::uint64_t>(spec.integer("seed", 1, 0));
  if (!(random.mean >= 0 && random.mean <= static_cast<double>(random.columns))) {
    spec.fail("row is the mean number of entries in a row and must be in 0..columns");
  }
  return random;
}

/// A number in [0, 1), the `draw`-th of a row.
double fraction(std::uint64_t row_seed, std::uint64_t draw) {
  return 0.5 * (uniform_value(row_seed, draw) + 1.0);
}

/// Uniform in an interval around the mean, as wide as 0..columns lets it be, rounded at random so
/// that the mean is exact.
Offset count_row(const RandomMatrix& random, GlobalIndex row) {
  const std::uint64_t row_seed = mix64(random.seed, static_cast<std::uint64_t>(row));
  const double columns = static_cast<double>(random.columns);
  const double reach = std::min(random.mean, columns - random.mean);
  const double length = random.mean + reach * uniform_value(row_seed, 0) + fraction(row_seed, 1);
  return std::clamp<Offset>(static_cast<Offset>(length), 0, random.columns);
}

/// `count` distinct numbers of [0, limit), ascending; at most half of them.
void draw_distinct(std::uint64_t row_seed, Offset count, GlobalIndex limit,
                   std::vector<GlobalIndex>& drawn) {
  drawn.clear();
  for (std::uint64_t draw = 2; static_cast<Offset>(drawn.size()) < count;) {
    while (static_cast<Offset>(drawn.size()) < count) {
      drawn.push_back(
          static_cast<GlobalIndex>(mix64(row_seed, draw++) % static_cast<std::uint64_t>(limit)));
    }
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  }
}

void fill_row(const RandomMatrix& random, GlobalIndex row, GlobalIndex* columns, double* values) {
  const std::uint64_t row_seed = mix64(random.seed, static_cast<std::uint64_t>(row));
  const Offset count = count_row(random, row);
  thread_local std::vector<GlobalIndex> drawn;
  if (count <= random.columns / 2) {
    draw_distinct(row_seed, count, random.columns, drawn);
    std::copy(drawn.begin(), drawn.end(), columns);
  } else {
    // The columns that stay empty are fewer.
    draw_distinct(row_seed, random.columns - count, random.columns, drawn);
    auto skipped = drawn.begin();
    GlobalIndex* next = columns;
    for (GlobalIndex column = 0; column < random.columns; ++column) {
      if (skipped != drawn.end() && *skipped == column)
        ++skipped;
      else
        *next++ = column;
    }
  }
  for (Offset k = 0; k < count; ++k) {
    values[k] = uniform_value(~row_seed, static_cast<std::uint64_t>(columns[k]));
  }
}

}  // namespace

DistributedCsr load_random(const Spec& spec, const Comm& comm, Progress& progress) {
  RandomMatrix random;
  agree(comm, [&] {
    random = parse(spec);
    check_size(spec, comm, random.rows, random.mean);
  });
  MatrixInfo info;
  info.source = spec.text();
  info.rows = random.rows;
  info.columns = random.columns;
  return generate_rows(
      info, comm, progress, [&](GlobalIndex row) { return count_row(random, row); },
      [&](GlobalIndex row, GlobalIndex* columns, double* values) {
        fill_row(random, row, columns, values);
      });
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Options, sizes and draws of generators (generators.hpp).
#include "io/generators/generators.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "io/host_memory.hpp"
#include "partition/base/hash.hpp"

namespace rowhalo {

GlobalIndex checked_product(const Spec& spec, GlobalIndex a, GlobalIndex b, const char* what) {
  if (b != 0 && a > std::numeric_limits<GlobalIndex>::max() / b) {
    spec.fail(
        fmt::format("the matrix has more {} than 64 bits can count; ask for a smaller one", what));
  }
  return a * b;
}

GlobalIndex expected_entries(const Spec& spec, double entries) {
  if (entries >= 0x1p63) {
    spec.fail("the matrix has more entries than 64 bits can count; ask for a smaller one");
  }
  return std::llround(entries);
}

Grid grid_of(const Spec& spec, int dimensions, GlobalIndex minimum) {
  Grid grid;
  const GlobalIndex all = spec.integer_argument(0, minimum);
  GlobalIndex points = 1;
  for (int d = 0; d < dimensions; ++d) {
    const std::string key = fmt::format("n{}", "xyz"[d]);
    grid.extent[d] = spec.integer(key, all, minimum);
    if (grid.extent[d] == 0) {
      spec.fail(fmt::format("{} is missing; give one size ({}:100) or each of {}", key, spec.name(),
                            dimensions == 2 ? "nx, ny" : "nx, ny, nz"));
    }
    points = checked_product(spec, points, grid.extent[d]);
  }
  return grid;
}

EntryValues::EntryValues(const Spec& spec) {
  const std::string_view word = spec.word("values", {"random", "ones", "integers"});
  kind_ = word == "ones" ? Kind::ones : word == "integers" ? Kind::integers : Kind::random;
}

std::uint64_t seed_of(const Spec& spec) {
  return static_cast<std::uint64_t>(spec.integer("seed", 1, 0));
}

GlobalIndex rows_of(const Spec& spec) {
  const GlobalIndex rows = spec.integer("rows", spec.integer_argument(0));
  if (rows == 0) spec.fail(fmt::format("rows is missing; write {}:rows=1000", spec.name()));
  return rows;
}

double probability_of(const Spec& spec, const char* key, double otherwise) {
  const double value = spec.number(key, otherwise);
  if (!(value >= 0 && value <= 1)) spec.fail(fmt::format("{} must be in 0..1", key));
  return value;
}

GlobalIndex box_pairs(const Spec& spec, const Grid& grid) {
  GlobalIndex pairs = 1;
  for (const GlobalIndex extent : grid.extent) {
    pairs =
        checked_product(spec, pairs, checked_product(spec, extent, 3, "entries") - 2, "entries");
  }
  return pairs;
}

MatrixOutline square_outline(const Spec& spec, GlobalIndex rows) {
  MatrixOutline outline;
  outline.info.source = spec.text();
  outline.info.rows = outline.info.columns = rows;
  return outline;
}

void draw_distinct(std::uint64_t row_seed, std::uint64_t first_draw, Offset count,
                   GlobalIndex limit, std::vector<GlobalIndex>& drawn) {
  std::uint64_t draw = first_draw;
  collect_distinct(count, drawn, [&](std::vector<GlobalIndex>& numbers, Offset) {
    numbers.push_back(
        static_cast<GlobalIndex>(mix64(row_seed, draw++) % static_cast<std::uint64_t>(limit)));
  });
}

// Lane by lane a random number is compared with the threshold, a bit of all of them a step, until
// each differs from it; so a word takes about eight steps whatever the threshold is.
std::uint64_t random_lanes(std::uint64_t word_seed, std::uint64_t threshold) {
  if (threshold >> 53 != 0) return ~std::uint64_t{0};
  std::uint64_t below = 0, undecided = ~std::uint64_t{0};
  for (int bit = 52; bit >= 0 && undecided != 0; --bit) {
    const std::uint64_t drawn = mix64(word_seed + static_cast<std::uint64_t>(bit));
    const std::uint64_t wanted = threshold >> bit & 1 ? ~std::uint64_t{0} : 0;
    below |= undecided & ~drawn & wanted;
    undecided &= ~(drawn ^ wanted);
  }
  return below;
}

void check_size(const Spec& spec, const Comm& comm, const MatrixOutline& outline,
                std::int64_t nonzero_bytes) {
  check_memory(spec.option() + " " + spec.text(),
               {outline.info.rows, outline.info.columns, outline.nonzeros, nonzero_bytes}, comm);
}

}  // namespace rowhalo

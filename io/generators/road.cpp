// SPDX-License-Identifier: BSD-3-Clause
//
// Source road: a planar network of streets. Crossings are the points of a grid of nx x ny; in
// quarters of 16 x 16 crossings all streets run along x or all along y, chosen at random, each
// through to the first crossing beyond its quarter; other neighbours are joined with probability
// 0.275, and those on the frame always. So the pattern is symmetric, without a diagonal, and every
// row has 2 to 4 entries (1 at the ends of a grid that is one point wide), 2.6 on average like
// measured road networks; values are lengths in [0.5, 1.5), or as values= says.
// Crossings are numbered quarter by quarter, so that near ones have near numbers. heavy= rows (none
// by default) have `row` entries all over the columns instead (heavy_rows.hpp): not symmetric then.
#include <algorithm>

#include "io/generators/generators.hpp"
#include "io/generators/heavy_rows.hpp"

namespace rowhalo {

namespace {

constexpr GlobalIndex quarter = 16;
constexpr double side_street = 0.275;

struct Crossing {
  GlobalIndex x, y;
};

struct Road {
  MatrixOutline outline;
  GlobalIndex nx, ny;
  std::uint64_t seed;
  HeavyRows heavy;

  explicit Road(const Spec& spec) : Road(spec, grid_of(spec, 2)) {}

  Road(const Spec& spec, const Grid& grid)
      : nx(grid.extent[0]), ny(grid.extent[1]), seed(seed_of(spec)), heavy(spec, nx * ny, 0) {
    spec.allow_only({"nx", "ny", "seed", "heavy", "row", "values"});
    const GlobalIndex rows = nx * ny;
    outline = square_outline(spec, rows);
    const double streets = expected_streets(nx, ny) + expected_streets(ny, nx);
    const double light_share = static_cast<double>(rows - heavy.heavy) / static_cast<double>(rows);
    outline.nonzeros = expected_entries(spec, 2 * streets * light_share + heavy.entries());
    outline.exact = false;
  }

  /// Expected number of streets between neighbours along the first direction.
  static double expected_streets(GlobalIndex along, GlobalIndex across) {
    const auto pairs = static_cast<double>(along - 1);
    const GlobalIndex between_quarters = (along - 1) / quarter;  // pairs of two quarters
    const auto beyond = static_cast<double>(between_quarters);
    const double inside_share = 0.5 + 0.5 * side_street, beyond_share = 0.75 + 0.25 * side_street;
    const auto frame = static_cast<double>(std::min<GlobalIndex>(across, 2));
    return frame * pairs + (static_cast<double>(across) - frame) *
                               (beyond * beyond_share + (pairs - beyond) * inside_share);
  }

  Crossing at(GlobalIndex row) const {
    const GlobalIndex y = row / (quarter * nx) * quarter;  // of the first row of quarters
    const GlobalIndex height = std::min(quarter, ny - y);
    row -= y * nx;
    const GlobalIndex x = row / (quarter * height) * quarter;
    row -= x * height;
    const GlobalIndex width = std::min(quarter, nx - x);
    return {x + row % width, y + row / width};
  }

  GlobalIndex number(const Crossing& c) const {
    const GlobalIndex x = c.x / quarter * quarter, y = c.y / quarter * quarter;
    const GlobalIndex height = std::min(quarter, ny - y), width = std::min(quarter, nx - x);
    return y * nx + x * height + (c.y - y) * width + (c.x - x);
  }

  /// Whether the streets of the crossing's quarter run along x.
  bool runs_along_x(const Crossing& c) const {
    return mix64(mix64(seed, static_cast<std::uint64_t>(c.x / quarter)),
                 static_cast<std::uint64_t>(c.y / quarter)) %
               2 ==
           0;
  }

  /// Seed of the street from `c` to the next crossing along x or y.
  std::uint64_t street(const Crossing& c, bool along_x) const {
    return mix64(along_x ? seed : ~seed, static_cast<std::uint64_t>(c.x + nx * c.y));
  }

  bool joined(const Crossing& c, bool along_x) const {
    const Crossing next{c.x + along_x, c.y + !along_x};
    if (next.x == nx || next.y == ny) return false;
    if (along_x ? c.y == 0 || c.y + 1 == ny : c.x == 0 || c.x + 1 == nx) return true;
    if (runs_along_x(c) == along_x || runs_along_x(next) == along_x) return true;
    return uniform_value(street(c, along_x), 0) < 2 * side_street - 1;
  }

  /// Calls visit(neighbour, seed of the street) for each neighbour of the crossing.
  void for_each_neighbour(const Crossing& c, auto visit) const {
    for (const bool along_x : {true, false}) {
      const Crossing next{c.x + along_x, c.y + !along_x}, last{c.x - along_x, c.y - !along_x};
      if (joined(c, along_x)) visit(next, street(c, along_x));
      if (last.x >= 0 && last.y >= 0 && joined(last, along_x)) visit(last, street(last, along_x));
    }
  }

  Offset count(GlobalIndex row) const {
    if (heavy.contains(row)) return heavy.length;
    Offset neighbours = 0;
    for_each_neighbour(at(row), [&](const Crossing&, std::uint64_t) { ++neighbours; });
    return neighbours;
  }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    if (heavy.contains(row)) return heavy.fill(row, columns, values);
    Offset size = 0;
    for_each_neighbour(at(row), [&](const Crossing& neighbour, std::uint64_t street_seed) {
      const GlobalIndex column = number(neighbour);
      Offset place = size++;
      for (; place > 0 && columns[place - 1] > column; --place) {
        columns[place] = columns[place - 1];
        values[place] = values[place - 1];
      }
      columns[place] = column;
      values[place] = heavy.values_of.random() ? 1 + 0.5 * uniform_value(street_seed, 1)
                                               : heavy.values_of(street_seed, 1);
    });
  }
};

}  // namespace

extern const SourceFunctions road_source = generated_by<Road>;

}  // namespace rowhalo

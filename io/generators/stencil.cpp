// SPDX-License-Identifier: BSD-3-Clause
//
// Sources stencil5, stencil7, stencil27: the nearest neighbours of a point on a regular grid, which
// are numbered as in Grid; neighbours outside the grid are left out. a_ij = -c_ij, and the diagonal
// is the sum of c over all 4, 6 or 26 neighbours, those outside included: symmetric, diagonally
// dominant, positive definite. With coef=
//   constant  c = 1; stencil27 is the matrix of HPCG (Dongarra, Heroux, Luszczek: HPCG Benchmark,
//             2015)
//   random    c uniform in [0.01, 1.01) for each pair of points, 1 to the outside
//   jump      boxes of 8 x 8 x 8 points have conductivity 1 or 1000 at random, c is the harmonic
//             mean of those of its two points: layered media
#include <algorithm>
#include <cstdlib>

#include "io/generators/generators.hpp"

namespace rowhalo {

namespace {

enum class Coefficient { constant, random, jump };

struct Point {
  GlobalIndex x, y, z;
};

struct Stencil {
  MatrixOutline outline;
  Grid grid;
  int points;  ///< 5, 7 or 27
  Coefficient coefficient;
  std::uint64_t seed;

  explicit Stencil(const Spec& spec) {
    points = spec.name() == "stencil5" ? 5 : spec.name() == "stencil7" ? 7 : 27;
    if (points == 5)
      spec.allow_only({"nx", "ny", "coef", "seed"});
    else
      spec.allow_only({"nx", "ny", "nz", "coef", "seed"});
    const std::string_view word = spec.word("coef", {"constant", "random", "jump"});
    coefficient = word == "constant" ? Coefficient::constant
                  : word == "random" ? Coefficient::random
                                     : Coefficient::jump;
    seed = seed_of(spec);
    grid = grid_of(spec, points == 5 ? 2 : 3);
    grid.corners = points == 27;
    const auto [nx, ny, nz] = grid.extent;
    outline = square_outline(spec, nx * ny * nz);
    outline.info.grid = grid;
    if (points == 27) {
      outline.nonzeros = box_pairs(spec, grid);
    } else {
      outline.nonzeros = checked_product(spec, outline.info.rows, 7, "entries") -
                         2 * (nx * ny + ny * nz + nz * nx);
    }
  }

  Point at(GlobalIndex row) const {
    return {row % grid.extent[0], row / grid.extent[0] % grid.extent[1],
            row / grid.extent[0] / grid.extent[1]};
  }
  GlobalIndex number(const Point& p) const {
    return p.x + grid.extent[0] * (p.y + grid.extent[1] * p.z);
  }

  double conductivity(const Point& p) const {
    const std::uint64_t box =
        mix64(mix64(seed, static_cast<std::uint64_t>(p.x / 8)),
              mix64(static_cast<std::uint64_t>(p.y / 8), static_cast<std::uint64_t>(p.z / 8)));
    return box % 2 == 0 ? 1.0 : 1000.0;
  }

  /// c of two neighbours inside the grid, the same from either side.
  double inner(const Point& p, const Point& q) const {
    if (coefficient == Coefficient::constant) return 1.0;
    if (coefficient == Coefficient::random) {
      const auto [low, high] = std::minmax({number(p), number(q)});
      return 0.51 + 0.5 * uniform_value(mix64(seed, static_cast<std::uint64_t>(low)),
                                        static_cast<std::uint64_t>(high));
    }
    const double a = conductivity(p), b = conductivity(q);
    return 2 * a * b / (a + b);
  }

  double outer(const Point& p) const {
    return coefficient == Coefficient::jump ? conductivity(p) : 1.0;
  }

  Offset count(GlobalIndex row) const {
    const Point p = at(row);
    Offset box = 1, star = 1;
    const GlobalIndex coordinates[] = {p.x, p.y, p.z};
    for (int d = 0; d < 3; ++d) {
      const Offset sides = (coordinates[d] > 0) + (coordinates[d] + 1 < grid.extent[d]);
      box *= 1 + sides;
      star += sides;
    }
    return points == 27 ? box : star;
  }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    const Point p = at(row);
    const GlobalIndex depth = points == 5 ? 0 : 1;
    double sum = 0;
    double* diagonal = nullptr;
    for (GlobalIndex dz = -depth; dz <= depth; ++dz) {
      for (GlobalIndex dy = -1; dy <= 1; ++dy) {
        for (GlobalIndex dx = -1; dx <= 1; ++dx) {
          const GlobalIndex steps = std::abs(dx) + std::abs(dy) + std::abs(dz);
          if (points != 27 && steps > 1) continue;
          const Point q{p.x + dx, p.y + dy, p.z + dz};
          if (q.x < 0 || q.x >= grid.extent[0] || q.y < 0 || q.y >= grid.extent[1] || q.z < 0 ||
              q.z >= grid.extent[2]) {
            sum += outer(p);
            continue;
          }
          *columns++ = number(q);
          if (steps == 0) {
            diagonal = values++;
            continue;
          }
          const double c = inner(p, q);
          *values++ = -c;
          sum += c;
        }
      }
    }
    *diagonal = sum;
  }
};

}  // namespace

extern const SourceFunctions stencil_source = generated_by<Stencil>;

}  // namespace rowhalo

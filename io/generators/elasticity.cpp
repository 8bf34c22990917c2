// SPDX-License-Identifier: BSD-3-Clause
//
// Source elasticity: 3-D linear elasticity on a grid of nodes that are the corners of unit cubes,
// trilinear hexahedra, isotropic (Hughes: The Finite Element Method, 2000, chapters 2 and 3). Three
// unknowns per node, numbered together; a node couples with all of its up to 27 neighbours, so that
// there are 9 (3nx - 2)(3ny - 2)(3nz - 2) entries, explicit zeros included.
// The face z = 0 is clamped: its rows and columns are those of the identity, which makes the matrix
// symmetric (to the bit) and positive definite. With clamp=0 nothing holds the body, whose six
// rigid motions are then the null space. All elements are alike, so a 3 x 3 block depends only on
// where the node stands (first, inner or last in each direction) and on the neighbour: 27 x 27
// blocks, summed over elements in one order.
#include <array>
#include <cmath>
#include <vector>

#include "io/generators/generators.hpp"

namespace rowhalo {

namespace {

/// Stiffness of one element: 8 corners (x fastest) with 3 unknowns each.
using Stiffness = std::array<std::array<double, 24>, 24>;

/// Gradients of the 8 shape functions of the unit cube at `at` in [-1, 1]^3.
std::array<std::array<double, 3>, 8> gradients(const std::array<double, 3>& at) {
  std::array<std::array<double, 3>, 8> gradient;
  for (int corner = 0; corner < 8; ++corner) {
    double factor[3], slope[3];
    for (int d = 0; d < 3; ++d) {
      const double side = corner >> d & 1 ? 1.0 : -1.0;
      factor[d] = 0.5 * (1.0 + side * at[d]);
      slope[d] = side;  // by x in [0, 1], not by [-1, 1]
    }
    gradient[corner] = {slope[0] * factor[1] * factor[2], factor[0] * slope[1] * factor[2],
                        factor[0] * factor[1] * slope[2]};
  }
  return gradient;
}

/// 2 x 2 x 2 Gauss points. Only one triangle is summed: symmetric to the bit.
Stiffness element_stiffness(double young, double poisson) {
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  const double mu = young / (2 * (1 + poisson));
  const double gauss = 1 / std::sqrt(3.0), weight = 0.125;
  Stiffness stiffness{};
  for (int point = 0; point < 8; ++point) {
    const auto g = gradients(
        {point & 1 ? gauss : -gauss, point & 2 ? gauss : -gauss, point & 4 ? gauss : -gauss});
    for (int row = 0; row < 24; ++row) {
      for (int column = row; column < 24; ++column) {
        const int a = row / 3, i = row % 3, b = column / 3, j = column % 3;
        double sum = lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i];
        if (i == j) sum += mu * (g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2]);
        stiffness[row][column] += weight * sum;
      }
    }
  }
  for (int row = 0; row < 24; ++row) {
    for (int column = 0; column < row; ++column) stiffness[row][column] = stiffness[column][row];
  }
  return stiffness;
}

using Block = std::array<double, 9>;  ///< 3 x 3, row after row

/// 3^3 numbers 0, 1, 2 as one: places of a node, or steps to a neighbour plus 1.
int packed(const int (&digits)[3]) {
  return digits[0] + 3 * (digits[1] + 3 * digits[2]);
}

/// Block of a node at `place` (0 first, 1 inner, 2 last in each direction) with the neighbour
/// `step` (-1, 0, 1 in each) away: the sum over the elements that have both as corners.
Block coupling(const Stiffness& stiffness, const int (&place)[3], const int (&step)[3]) {
  Block block{};
  for (int element = 0; element < 8; ++element) {  // of the 8 around the node
    int own = 0, other = 0;
    bool exists = true;
    for (int d = 0; d < 3; ++d) {
      const int beyond = element >> d & 1;  // the element lies before or after the node
      const int own_corner = 1 - beyond, other_corner = own_corner + step[d];
      exists = exists && place[d] != (beyond ? 2 : 0) && (other_corner == 0 || other_corner == 1);
      own |= own_corner << d;
      other |= (other_corner & 1) << d;
    }
    if (!exists) continue;
    for (int k = 0; k < 9; ++k) block[k] += stiffness[3 * own + k / 3][3 * other + k % 3];
  }
  return block;
}

struct Elasticity {
  MatrixOutline outline;
  Grid grid;
  bool clamped;
  std::vector<Block> blocks;  ///< [packed place][packed step + 1]

  explicit Elasticity(const Spec& spec) {
    spec.allow_only({"nx", "ny", "nz", "young", "poisson", "clamp"});
    const double young = spec.number("young", 1.0), poisson = spec.number("poisson", 0.3);
    if (!(young > 0) || std::isinf(young)) spec.fail("young must be above 0");
    if (!(poisson > -1 && poisson < 0.5)) spec.fail("poisson must be above -1 and below 0.5");
    clamped = spec.integer("clamp", 1, 0, 1) == 1;
    grid = grid_of(spec, 3, 2);
    grid.corners = true;
    const auto [nx, ny, nz] = grid.extent;
    outline = square_outline(spec, checked_product(spec, nx * ny * nz, 3));
    outline.info.block = 3;
    outline.info.grid = grid;
    outline.nonzeros = checked_product(spec, box_pairs(spec, grid), 9, "entries");
    const Stiffness stiffness = element_stiffness(young, poisson);
    blocks.resize(27 * 27);
    for (int node = 0; node < 27; ++node) {
      for (int neighbour = 0; neighbour < 27; ++neighbour) {
        blocks[27 * node + neighbour] =
            coupling(stiffness, {node % 3, node / 3 % 3, node / 9},
                     {neighbour % 3 - 1, neighbour / 3 % 3 - 1, neighbour / 9 - 1});
      }
    }
  }

  /// A node and the range of steps to its neighbours.
  struct Node {
    GlobalIndex number, at[3];
    int place[3];
    int low[3], high[3];
  };

  Node node_of(GlobalIndex row) const {
    Node node;
    node.number = row / 3;
    GlobalIndex rest = node.number;
    for (int d = 0; d < 3; ++d) {
      const GlobalIndex at = node.at[d] = rest % grid.extent[d];
      rest /= grid.extent[d];
      node.place[d] = at == 0 ? 0 : at + 1 == grid.extent[d] ? 2 : 1;
      node.low[d] = at == 0 ? 0 : -1;
      node.high[d] = at + 1 == grid.extent[d] ? 0 : 1;
    }
    return node;
  }

  Offset count(GlobalIndex row) const {
    const Node node = node_of(row);
    Offset neighbours = 1;
    for (int d = 0; d < 3; ++d) neighbours *= node.high[d] - node.low[d] + 1;
    return 3 * neighbours;
  }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    const Node node = node_of(row);
    const auto component = static_cast<int>(row % 3);
    const Block* around = blocks.data() + 27 * packed(node.place);
    for (int dz = node.low[2]; dz <= node.high[2]; ++dz) {
      const bool fixed = clamped && (node.at[2] == 0 || node.at[2] + dz == 0);
      for (int dy = node.low[1]; dy <= node.high[1]; ++dy) {
        for (int dx = node.low[0]; dx <= node.high[0]; ++dx) {
          const GlobalIndex neighbour =
              node.number + dx + grid.extent[0] * (dy + grid.extent[1] * dz);
          const double* entries = around[packed({dx + 1, dy + 1, dz + 1})].data() + 3 * component;
          for (int j = 0; j < 3; ++j) {
            *columns++ = 3 * neighbour + j;
            *values++ = fixed ? 3 * neighbour + j == row : entries[j];
          }
        }
      }
    }
  }
};

}  // namespace

extern const SourceFunctions elasticity_source = generated_by<Elasticity>;

}  // namespace rowhalo

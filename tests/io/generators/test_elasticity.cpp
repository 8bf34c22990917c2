// SPDX-License-Identifier: BSD-3-Clause
//
// Source elasticity against mechanics: rigid motions cost nothing, a uniform strain has its energy
// and needs no force inside, the clamped matrix is positive definite.
#include <array>
#include <cmath>

#include "tests/io/generated.hpp"

using namespace rowhalo;

namespace {

/// A displacement: the three components of the node at (x, y, z).
using Field = std::array<double, 3> (*)(double x, double y, double z);

const Field rigid_motions[] = {
    [](double, double, double) {
      return std::array{1.0, 0.0, 0.0};
    },
    [](double, double, double) {
      return std::array{0.0, 1.0, 0.0};
    },
    [](double, double, double) {
      return std::array{0.0, 0.0, 1.0};
    },
    [](double x, double y, double) {
      return std::array{-y, x, 0.0};
    },
    [](double, double y, double z) {
      return std::array{0.0, -z, y};
    },
    [](double x, double, double z) {
      return std::array{z, 0.0, -x};
    },
};

double component(const DistributedCsr& matrix, Field field, GlobalIndex unknown) {
  const auto& extent = matrix.info.grid->extent;
  const GlobalIndex node = unknown / 3;
  return field(static_cast<double>(node % extent[0]),
               static_cast<double>(node / extent[0] % extent[1]),
               static_cast<double>(node / extent[0] / extent[1]))[unknown % 3];
}

/// A * field in the rows of this rank.
std::vector<double> forces(const DistributedCsr& matrix, Field field) {
  std::vector<double> force(matrix.local_rows(), 0.0);
  for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    for (auto k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      force[row] += matrix.values[k] * component(matrix, field, matrix.columns[k]);
    }
  }
  return force;
}

/// Number of the pivots of L D L^T below `tiny`; fails on a negative one.
int tiny_pivots(const DistributedCsr& alone, double tiny) {
  const GlobalIndex n = alone.info.rows;
  std::vector<double> a(n * n, 0.0);
  for (const ExactEntry& e : local_entries(alone)) {
    a[e.row * n + e.column] = std::bit_cast<double>(e.bits);
  }
  int found = 0;
  for (GlobalIndex k = 0; k < n; ++k) {
    const double pivot = a[k * n + k];
    if (pivot < -tiny) FAIL("pivot " << k << " is " << pivot);
    if (pivot < tiny) {
      ++found;
      continue;
    }
    for (GlobalIndex i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / pivot;
      for (GlobalIndex j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return found;
}

}  // namespace

TEST_CASE("elasticity: full 3 x 3 blocks, which stay whole on any number of ranks") {
  for (const char* clamp : {"0", "1"}) {
    const std::string spec = std::string("elasticity:nx=4,ny=3,nz=6,clamp=") + clamp;
    INFO(spec);
    const DistributedCsr matrix = load(spec);
    REQUIRE_ALL_RANKS(matrix.info.block == 3);
    REQUIRE_ALL_RANKS(matrix.info.grid->extent == std::array<GlobalIndex, 3>{4, 3, 6});
    REQUIRE_ALL_RANKS(matrix.info.rows == 3 * 4 * 3 * 6);
    REQUIRE_ALL_RANKS((matrix.first_row % 3 == 0 && matrix.local_rows() % 3 == 0));
    REQUIRE_ALL_RANKS(nonzeros(matrix) == 9 * 10 * 7 * 16);
    REQUIRE_ALL_RANKS(symmetric(matrix));
    bool full = true;
    for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
      const auto begin = matrix.columns.begin() + matrix.offsets[row];
      const auto length = matrix.offsets[row + 1] - matrix.offsets[row];
      full = full && length % 3 == 0 && length <= 81;
      for (Offset k = 0; full && k < length; k += 3) {
        full = begin[k] % 3 == 0 && begin[k + 2] == begin[k] + 2;
      }
    }
    REQUIRE_ALL_RANKS(full);
  }
}

TEST_CASE("elasticity: rigid motions need no force") {
  const DistributedCsr loose = load("elasticity:nx=4,ny=5,nz=6,clamp=0");
  const DistributedCsr clamped = load("elasticity:nx=4,ny=5,nz=6");
  for (const Field motion : rigid_motions) {
    bool rests = true, held = true;
    const std::vector<double> force = forces(loose, motion);
    for (const double f : force) rests = rests && std::abs(f) < 1e-13;
    const std::vector<double> inside = forces(clamped, motion);
    for (GlobalIndex row = 0; row < clamped.local_rows(); ++row) {
      const GlobalIndex number = clamped.first_row + row, z = number / 3 / 20;
      if (z >= 2) rests = rests && std::abs(inside[row]) < 1e-13;
      if (z == 0) held = held && inside[row] == component(clamped, motion, number);
    }
    REQUIRE_ALL_RANKS(rests);
    REQUIRE_ALL_RANKS(held);
  }
}

TEST_CASE("elasticity: a uniform strain has its energy and needs no force inside") {
  // For u = (x, 0, 0) the energy density is lambda + 2 mu, for the shear u = (y, 0, 0) it is mu.
  const DistributedCsr matrix = load("elasticity:nx=4,ny=5,nz=3,clamp=0,young=7,poisson=0.2");
  const double mu = 7 / 2.4, lambda = 7 * 0.2 / (1.2 * 0.6), volume = 3 * 4 * 2;
  const Field stretch = [](double x, double, double) { return std::array{x, 0.0, 0.0}; };
  const Field shear = [](double, double y, double) { return std::array{y, 0.0, 0.0}; };
  for (const bool stretched : {true, false}) {
    const Field field = stretched ? stretch : shear;
    const std::vector<double> force = forces(matrix, field);
    double energy = 0;
    bool rests = true;
    for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
      const GlobalIndex number = matrix.first_row + row, node = number / 3;
      const GlobalIndex x = node % 4, y = node / 4 % 5, z = node / 20;
      energy += force[row] * component(matrix, field, number);
      const bool inner = x > 0 && x < 3 && y > 0 && y < 4 && z == 1;
      if (inner) rests = rests && std::abs(force[row]) < 1e-12;
    }
    const double expected = volume * (stretched ? lambda + 2 * mu : mu);
    REQUIRE_ALL_RANKS(rests);
    REQUIRE_ALL_RANKS(std::abs(sum_reals_over_ranks(world(), energy) - expected) <
                      1e-12 * expected);
  }
}

TEST_CASE("elasticity: positive definite when clamped, else with the six rigid motions") {
  for (const char* spec : {"elasticity:3", "elasticity:2", "elasticity:nx=2,ny=3,nz=4,poisson=-0.5",
                           "elasticity:nx=3,ny=2,nz=2,poisson=0.49"}) {
    INFO(spec);
    CHECK(tiny_pivots(load_alone(spec), 1e-10) == 0);
    CHECK(tiny_pivots(load_alone(std::string(spec) + ",clamp=0"), 1e-10) == 6);
  }
}

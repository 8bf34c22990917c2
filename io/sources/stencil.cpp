// SPDX-License-Identifier: BSD-3-Clause
//
// Sources stencil5, stencil7, stencil27: the nearest neighbours of a point on a regular grid, all
// weights -1 but that of the point itself, which is the number of its neighbours inside a large
// grid (4, 6, 26). stencil27 is the matrix of HPCG (Dongarra, Heroux, Luszczek: HPCG Benchmark,
// 2015). Points are numbered as in Grid; neighbours outside the grid are left out.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "io/generators.hpp"
#include "io/sources/loaders.hpp"

namespace rowhalo {

namespace {

enum class Stencil { five = 5, seven = 7, twenty_seven = 27 };

Grid grid_of(const Spec& spec, Stencil stencil) {
  const int dimensions = stencil == Stencil::five ? 2 : 3;
  const char* keys[] = {"nx", "ny", "nz"};
  if (dimensions == 2)
    spec.allow_only({"nx", "ny"});
  else
    spec.allow_only({"nx", "ny", "nz"});
  Grid grid;
  const GlobalIndex all = spec.integer_argument(0);
  GlobalIndex points = 1;
  for (int d = 0; d < dimensions; ++d) {
    grid.extent[d] = spec.integer(keys[d], all);
    if (grid.extent[d] == 0) {
      spec.fail(fmt::format("{} is missing; give one size ({}:100) or each of {}", keys[d],
                            spec.name(), dimensions == 2 ? "nx, ny" : "nx, ny, nz"));
    }
    points = checked_product(spec, points, grid.extent[d]);
  }
  return grid;
}

/// Coordinates of a point and their neighbours' range in each direction.
struct Neighborhood {
  GlobalIndex at[3], low[3], high[3];
};

Neighborhood neighborhood(const Grid& grid, GlobalIndex row) {
  Neighborhood hood;
  for (int d = 0; d < 3; ++d) {
    hood.at[d] = row % grid.extent[d];
    row /= grid.extent[d];
    hood.low[d] = std::max<GlobalIndex>(hood.at[d] - 1, 0);
    hood.high[d] = std::min(hood.at[d] + 1, grid.extent[d] - 1);
  }
  return hood;
}

Offset count_row(const Grid& grid, Stencil stencil, GlobalIndex row) {
  const Neighborhood hood = neighborhood(grid, row);
  Offset box = 1, star = 1;
  for (int d = 0; d < 3; ++d) {
    box *= hood.high[d] - hood.low[d] + 1;
    star += hood.high[d] - hood.low[d];
  }
  return stencil == Stencil::twenty_seven ? box : star;
}

void fill_row(const Grid& grid, Stencil stencil, GlobalIndex row, GlobalIndex* columns,
              double* values) {
  const Neighborhood hood = neighborhood(grid, row);
  const double diagonal = static_cast<double>(stencil) - 1;
  for (GlobalIndex z = hood.low[2]; z <= hood.high[2]; ++z) {
    for (GlobalIndex y = hood.low[1]; y <= hood.high[1]; ++y) {
      for (GlobalIndex x = hood.low[0]; x <= hood.high[0]; ++x) {
        const GlobalIndex steps =
            std::abs(x - hood.at[0]) + std::abs(y - hood.at[1]) + std::abs(z - hood.at[2]);
        if (stencil != Stencil::twenty_seven && steps > 1) continue;
        *columns++ = x + grid.extent[0] * (y + grid.extent[1] * z);
        *values++ = steps == 0 ? diagonal : -1.0;
      }
    }
  }
}

DistributedCsr load(const Spec& spec, const Comm& comm, Progress& progress, Stencil stencil) {
  MatrixInfo info;
  info.source = spec.text();
  agree(comm, [&] {
    const Grid grid = grid_of(spec, stencil);
    info.grid = grid;
    info.rows = info.columns = grid.extent[0] * grid.extent[1] * grid.extent[2];
    check_size(spec, comm, info.rows, static_cast<double>(stencil));
  });
  const Grid grid = *info.grid;
  return generate_rows(
      info, comm, progress, [&](GlobalIndex row) { return count_row(grid, stencil, row); },
      [&](GlobalIndex row, GlobalIndex* columns, double* values) {
        fill_row(grid, stencil, row, columns, values);
      });
}

}  // namespace

DistributedCsr load_stencil5(const Spec& spec, const Comm& comm, Progress& progress) {
  return load(spec, comm, progress, Stencil::five);
}

DistributedCsr load_stencil7(const Spec& spec, const Comm& comm, Progress& progress) {
  return load(spec, comm, progress, Stencil::seven);
}

DistributedCsr load_stencil27(const Spec& spec, const Comm& comm, Progress& progress) {
  return load(spec, comm, progress, Stencil::twenty_seven);
}

}  // namespace rowhalo

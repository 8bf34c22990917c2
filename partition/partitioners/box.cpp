// SPDX-License-Identifier: BSD-3-Clause
//
// Partitioner `box`: the grid of the source is cut into px x py x pz boxes that are as near to
// cubes as the number of parts allows, because what a box exchanges is its surface. The cuts of
// each direction go through the whole grid, and lie so that the layers between them have the same
// number of nonzeros (a histogram of each direction, summed over ranks), or of points
// (`weights=rows`). Boxes stay aligned, so that a box of a 27-point stencil has 26 neighbours.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include "partition/partitioners/functions.hpp"

namespace rowhalo {

std::array<int, 3> choose_boxes(const Grid& grid, int parts) {
  const auto [nx, ny, nz] = grid.extent;
  using Rank = std::tuple<double, double, int, int>;
  Rank best{};
  std::array<int, 3> boxes{0, 0, 0};
  for (int px = 1; px <= parts; ++px) {
    if (parts % px != 0) continue;
    for (int py = 1; py <= parts / px; ++py) {
      if (parts / px % py != 0) continue;
      const int pz = parts / px / py;
      const auto with_points = [](int count, GlobalIndex extent) {
        return static_cast<double>(std::min<GlobalIndex>(count, extent));
      };
      const double used = with_points(px, nx) * with_points(py, ny) * with_points(pz, nz);
      const double area = (px - 1.0) * static_cast<double>(ny) * static_cast<double>(nz) +
                          (py - 1.0) * static_cast<double>(nx) * static_cast<double>(nz) +
                          (pz - 1.0) * static_cast<double>(nx) * static_cast<double>(ny);
      const Rank rank{-used, area, px, py};
      if (boxes[0] == 0 || rank < best) {
        best = rank;
        boxes = {px, py, pz};
      }
    }
  }
  return boxes;
}

namespace {

/// Layers of the grid in one direction, some to a bin so that a histogram stays small.
class Layers {
 public:
  Layers(GlobalIndex extent, int boxes)
      : extent_(extent),
        width_(std::max<GlobalIndex>(1, (extent + most_bins - 1) / most_bins)),
        boxes_(boxes) {
    loads_.assign((extent + width_ - 1) / width_, 0);
  }

  void add(GlobalIndex layer, std::int64_t load) { loads_[layer / width_] += load; }

  /// Collective. From loads to the box of each bin, that in which the middle of its load lies.
  void cut(const Comm& comm) {
    sum_over_ranks(comm, loads_);
    const std::vector<std::int64_t> starts = starts_of(loads_);
    for (std::size_t bin = 0; bin < loads_.size(); ++bin) {
      const double middle =
          (static_cast<double>(starts[bin]) + 0.5 * static_cast<double>(loads_[bin])) /
          static_cast<double>(starts.back());
      box_.push_back(std::min(static_cast<int>(middle * boxes_), boxes_ - 1));
    }
  }
  /// The box of each bin when layers are distributed evenly.
  void cut_evenly() {
    for (std::size_t bin = 0; bin < loads_.size(); ++bin) {
      const GlobalIndex layer = static_cast<GlobalIndex>(bin) * width_;
      box_.push_back(even_split_owner(extent_, 1, boxes_, layer));
    }
  }

  int box(GlobalIndex layer) const { return box_[layer / width_]; }

 private:
  static constexpr GlobalIndex most_bins = GlobalIndex{1} << 20;
  GlobalIndex extent_, width_;
  int boxes_;
  std::vector<std::int64_t> loads_;
  std::vector<int> box_;
};

std::array<GlobalIndex, 3> place_of(const Grid& grid, GlobalIndex point) {
  const auto [nx, ny, nz] = grid.extent;
  return {point % nx, point / nx % ny, point / nx / ny};
}

}  // namespace

std::vector<int> assign_box(const DistributedCsr& matrix, int parts, const Spec& options,
                            const Comm& comm, Progress& progress) {
  progress.phase("partition: box");
  const MatrixInfo& info = matrix.info;
  bool by_nonzeros = false;
  agree(comm, [&] {
    allow_keys(options, {"weights"});
    by_nonzeros = options.word("weights", {"nonzeros", "rows"}) == "nonzeros";
    if (info.grid) return;
    options.fail(
        fmt::format("{} has no grid (only stencils and elasticity have one, and --shuffle "
                    "and --block lose it); use metis",
                    info.source));
  });
  const Grid& grid = *info.grid;
  const GlobalIndex points = grid.extent[0] * grid.extent[1] * grid.extent[2];
  if (points * info.block != info.rows) {
    throw std::logic_error("box: the points of the grid are not the block rows of the matrix");
  }
  std::vector<int> owners(matrix.local_rows());
  by_nonzeros = by_nonzeros && sum_over_ranks(comm, matrix.local_nonzeros()) > 0;

  const std::array<int, 3> boxes = choose_boxes(grid, parts);
  std::array<Layers, 3> layers{Layers(grid.extent[0], boxes[0]), Layers(grid.extent[1], boxes[1]),
                               Layers(grid.extent[2], boxes[2])};
  for (std::size_t row = 0; by_nonzeros && row < owners.size(); ++row) {
    const auto place =
        place_of(grid, (matrix.first_row + static_cast<GlobalIndex>(row)) / info.block);
    for (int axis = 0; axis < 3; ++axis) {
      layers[axis].add(place[axis], matrix.offsets[row + 1] - matrix.offsets[row]);
    }
  }
  progress.tick();
  for (Layers& direction : layers) {
    if (by_nonzeros) {
      direction.cut(comm);
    } else {
      direction.cut_evenly();
    }
  }
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < owners.size(); ++row) {
    const auto place =
        place_of(grid, (matrix.first_row + static_cast<GlobalIndex>(row)) / info.block);
    owners[row] = layers[0].box(place[0]) +
                  boxes[0] * (layers[1].box(place[1]) + boxes[1] * layers[2].box(place[2]));
  }
  return owners;
}

}  // namespace rowhalo

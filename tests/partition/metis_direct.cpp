// SPDX-License-Identifier: BSD-3-Clause
//
// METIS alone: reads a matrix on one process, calls METIS_PartGraphKway with default options on the
// pattern of A + A^T (vertices are rows, or blocks of B rows, weighted by nonzeros), for both
// objectives, and counts the entries of x that the parts need from each other. Shows that what the
// partitioner metis gives is what METIS gives by itself:
//   metis_direct MATRIX PARTS [B [SEED]]     with SEED: after --shuffle SEED
#include <metis.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "io/sources.hpp"
#include "partition/matrix/shuffle.hpp"

namespace {

/// Entries of x that a part needs and does not own: distinct pairs of column and part.
std::int64_t halo_volume(const rowhalo::DistributedCsr& a, const std::vector<idx_t>& parts,
                         int block) {
  std::vector<std::set<idx_t>> needed_by(a.info.columns);
  for (rowhalo::GlobalIndex row = 0; row < a.local_rows(); ++row) {
    for (rowhalo::Offset k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const idx_t to = parts[row / block];
      if (parts[a.columns[k] / block] != to) needed_by[a.columns[k]].insert(to);
    }
  }
  std::int64_t volume = 0;
  for (const auto& parts_of_column : needed_by) volume += std::ssize(parts_of_column);
  return volume;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  MPI_Init(&argc, &argv);
  rowhalo::Progress progress;
  const rowhalo::Comm comm = rowhalo::Comm::of(MPI_COMM_WORLD);
  rowhalo::DistributedCsr a = rowhalo::load_matrix(argv[1], 0, comm, progress);
  if (argc > 4) {
    const rowhalo::Shuffle shuffle(std::strtoull(argv[4], nullptr, 10), a.info.rows);
    a = rowhalo::shuffled(comm, std::move(a), shuffle, progress);
  }
  idx_t parts = std::atoi(argv[2]), constraints = 1;
  const int block = argc > 3 ? std::atoi(argv[3]) : 1;

  auto vertices = static_cast<idx_t>(a.info.rows / block);
  std::vector<std::set<idx_t>> neighbours(vertices);
  std::vector<idx_t> starts{0}, adjacency, weights(vertices, 0), part(vertices);
  for (rowhalo::GlobalIndex row = 0; row < a.local_rows(); ++row) {
    for (rowhalo::Offset k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const auto i = static_cast<idx_t>(row / block);
      const auto j = static_cast<idx_t>(a.columns[k] / block);
      ++weights[i];
      if (i == j) continue;
      neighbours[i].insert(j);
      neighbours[j].insert(i);
    }
  }
  for (const auto& of_vertex : neighbours) {
    adjacency.insert(adjacency.end(), of_vertex.begin(), of_vertex.end());
    starts.push_back(static_cast<idx_t>(adjacency.size()));
  }
  for (const mobjtype_et objective : {METIS_OBJTYPE_VOL, METIS_OBJTYPE_CUT}) {
    idx_t options[METIS_NOPTIONS], value = 0;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_OBJTYPE] = objective;
    METIS_PartGraphKway(&vertices, &constraints, starts.data(), adjacency.data(), weights.data(),
                        nullptr, nullptr, &parts, nullptr, nullptr, options, &value, part.data());
    std::printf("%s: halo volume %lld\n", objective == METIS_OBJTYPE_VOL ? "volume" : "cut",
                static_cast<long long>(halo_volume(a, part, block)));
  }
  MPI_Finalize();
}

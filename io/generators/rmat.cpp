// SPDX-License-Identifier: BSD-3-Clause
//
// Source rmat: the recursive graphs of Chakrabarti, Zhan, Faloutsos (R-MAT, SDM 2004): 2^scale
// vertices, edges * 2^scale draws, each of which falls `scale` times into a quadrant of what is
// left of the matrix, with probabilities a, b, c and the rest. Repeated edges are one entry,
// self-loops stay; the value is a function of row and column (EntryValues). scramble=1
// renumbers the vertices at random, as Graph500 does; without it low numbers have the long rows.
// packed=1 then moves the entries of each row to columns 0, 1, 2...: rows of the same lengths, but
// x from the cache, so that a product shows what its gathers cost.
// Draw k is a function of seed and k. Every rank makes its share of the draws and hands them to the
// owners of their rows in rounds of bounded size, so that no rank sees the whole.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "io/generators/generators.hpp"
#include "partition/matrix/entry_delivery.hpp"
#include "partition/matrix/shuffle.hpp"

namespace rowhalo {

namespace {

struct Rmat {
  MatrixOutline outline;
  int scale;
  GlobalIndex draws;
  double share[4];             ///< a, b, c, d: probabilities of the quadrants, row after row
  std::uint64_t threshold[3];  ///< a, a + b, a + b + c in units of 2^-32
  std::uint64_t seed;
  bool scramble, packed;
  EntryValues values_of;

  explicit Rmat(const Spec& spec) : values_of(spec) {
    spec.allow_only({"scale", "edges", "seed", "a", "b", "c", "scramble", "packed", "values"});
    scale = static_cast<int>(spec.integer("scale", spec.integer_argument(0, 1, 62), 1, 62));
    if (scale == 0) spec.fail("scale is missing; write rmat:scale=20");
    const GlobalIndex vertices = GlobalIndex{1} << scale;
    draws = checked_product(spec, spec.integer("edges", 16), vertices, "entries");
    const double a = spec.number("a", 0.57), b = spec.number("b", 0.19), c = spec.number("c", 0.19);
    const double rest = 1 - (a + b + c);
    if (!(a >= 0 && b >= 0 && c >= 0 && rest > -1e-9)) {
      spec.fail("a, b and c are probabilities and must be at least 0 with a sum of at most 1");
    }
    std::copy_n(std::begin({a, b, c, std::max(rest, 0.0)}), 4, share);
    double below = 0;
    for (int k = 0; k < 3; ++k) {
      below += share[k];
      threshold[k] = static_cast<std::uint64_t>(below * 0x1p32);
    }
    if (rest <= 1e-9) threshold[2] = std::uint64_t{1} << 32;
    seed = seed_of(spec);
    scramble = spec.integer("scramble", 0, 0, 1) == 1;
    packed = spec.integer("packed", 0, 0, 1) == 1;
    outline = square_outline(spec, vertices);
    outline.nonzeros = expected_entries(spec, expected_edges());
    outline.exact = false;
  }

  /// Expected number of places that at least one draw hits. Places are alike that are in the same
  /// quadrants equally often: na times in a, nb in b, nc in c.
  double expected_edges() const {
    const auto power = [](double base, int exponent) {
      return exponent == 0 ? 1.0 : std::pow(base, exponent);
    };
    const auto log_choose = [](int n, int k) {
      return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
    };
    double expected = 0;
    for (int na = 0; na <= scale; ++na) {
      for (int nb = 0; na + nb <= scale; ++nb) {
        for (int nc = 0; na + nb + nc <= scale; ++nc) {
          const int nd = scale - na - nb - nc;
          const double places = std::exp(log_choose(scale, na) + log_choose(scale - na, nb) +
                                         log_choose(scale - na - nb, nc));
          const double each =
              power(share[0], na) * power(share[1], nb) * power(share[2], nc) * power(share[3], nd);
          const double hit = -std::expm1(static_cast<double>(draws) * std::log1p(-each));
          expected += places * hit;
        }
      }
    }
    return expected;
  }

  Entry draw(GlobalIndex number) const {
    const std::uint64_t edge_seed = mix64(seed, static_cast<std::uint64_t>(number));
    std::uint64_t row = 0, column = 0, dice = 0;
    for (int level = 0; level < scale; ++level) {
      dice = level % 2 == 0 ? mix64(edge_seed + static_cast<std::uint64_t>(level)) : dice >> 32;
      const std::uint64_t thrown = dice & 0xffffffff;
      const bool beyond_a = thrown >= threshold[0], lower = thrown >= threshold[1],
                 beyond_c = thrown >= threshold[2];
      row = row << 1 | std::uint64_t{lower};
      column = column << 1 | std::uint64_t{beyond_a != (lower != beyond_c)};
    }
    return {static_cast<GlobalIndex>(row), static_cast<GlobalIndex>(column), 0.0};
  }
};

/// The draws from `begin` on into `edges`, which are then cut into a part per thread.
std::vector<std::span<const Entry>> draw_edges(const Rmat& rmat, const Shuffle& shuffle,
                                               GlobalIndex begin, std::vector<Entry>& edges) {
  const GlobalIndex draws = std::ssize(edges);
#pragma omp parallel for schedule(static)
  for (GlobalIndex k = 0; k < draws; ++k) {
    edges[k] = rmat.draw(begin + k);
    if (!rmat.scramble) continue;
    edges[k].row = shuffle.to_shuffled(edges[k].row);
    edges[k].column = shuffle.to_shuffled(edges[k].column);
  }
  std::vector<std::span<const Entry>> parts;
  const int threads = omp_get_max_threads();
  for (int part = 0; part < threads; ++part) {
    const GlobalIndex first = even_split(draws, 1, threads, part);
    parts.emplace_back(edges.data() + first, even_split(draws, 1, threads, part + 1) - first);
  }
  return parts;
}

DistributedCsr load_rmat(const Spec& spec, const Comm& comm, Progress& progress) {
  const Rmat rmat = agreed_generator<Rmat>(spec, comm);
  agree(comm, [&] {
    // Until the rows are assembled, edges that are drawn again take memory, too.
    MatrixOutline drawn = rmat.outline;
    drawn.nonzeros = rmat.draws;
    check_size(spec, comm, drawn, delivery_bytes);
  });
  progress.phase("generate");
  const GlobalIndex vertices = rmat.outline.info.rows;
  const EvenShare share(comm, rmat.draws);
  // All ranks together draw 2^23 edges a round: one rank may own most of them.
  const GlobalIndex a_round = std::max<GlobalIndex>((1 << 23) / comm.size, 1 << 13);
  const GlobalIndex rounds = (even_split(rmat.draws, 1, comm.size, 1) + a_round - 1) / a_round;
  const Shuffle shuffle(rmat.seed, vertices);
  EntryDelivery delivery(comm, vertices, Mirror::none);
  std::vector<Entry> edges;  // serve every round: fresh memory takes longer than drawing
  progress.expect(rounds);
  for (GlobalIndex k = 0; k < rounds; ++k) {
    const GlobalIndex begin = std::min(share.first + k * a_round, share.end);
    edges.resize(std::min(begin + a_round, share.end) - begin);
    delivery.send(draw_edges(rmat, shuffle, begin, edges));
    progress.add(1);
    leave_if_requested(comm, progress);
  }
  std::vector<Entry>().swap(edges);
  DistributedCsr matrix = delivery.assemble(rmat.outline.info);
  const GlobalIndex rows = matrix.local_rows();
#pragma omp parallel for schedule(dynamic, 256)
  for (GlobalIndex row = 0; row < rows; ++row) {
    const std::uint64_t row_seed =
        mix64(rmat.seed, static_cast<std::uint64_t>(matrix.first_row + row));
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      if (rmat.packed) matrix.columns[k] = k - matrix.offsets[row];
      matrix.values[k] = rmat.values_of(~row_seed, matrix.columns[k]);
    }
  }
  return matrix;
}

}  // namespace

extern const SourceFunctions rmat_source{load_rmat, outline_generated<Rmat>};

}  // namespace rowhalo

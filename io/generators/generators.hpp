// SPDX-License-Identifier: BSD-3-Clause
//
// What matrix generators share, the one header that each includes. A generator is a struct with
//   explicit Generator(const Spec&)      reads the options; throws InputError
//   MatrixOutline outline                what they say; may be larger than any memory
//   Offset count(GlobalIndex row) const  entries of a global row
//   void fill(GlobalIndex row, GlobalIndex* columns, double* values) const   ascending, distinct
// All of a row is a function of the options and its number, so that the matrix is the same for any
// number of ranks: each makes its even share of the rows, with all of its threads, in two passes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "io/collective.hpp"
#include "io/sources.hpp"
#include "partition/base/hash.hpp"
#include "partition/base/prefault.hpp"
#include "partition/base/progress.hpp"
#include "partition/base/spec.hpp"
#include "partition/comm.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Product of two counts of `what`, neither negative; Spec::fail when it does not fit into 64 bits.
GlobalIndex checked_product(const Spec& spec, GlobalIndex a, GlobalIndex b,
                            const char* what = "rows");

/// An expected number of entries, rounded; Spec::fail when it does not fit into 64 bits.
GlobalIndex expected_entries(const Spec& spec, double entries);

/// Extents nx, ny, nz (nx, ny when there are two dimensions), each the argument where it is
/// missing; Spec::fail when both are, one is below `minimum`, or the points exceed 64 bits.
Grid grid_of(const Spec& spec, int dimensions, GlobalIndex minimum = 1);

/// The option values=random|ones|integers: what an entry is worth, a function of the seed of its
/// row and its column.
class EntryValues {
 public:
  EntryValues() = default;  ///< random
  explicit EntryValues(const Spec& spec);

  bool random() const { return kind_ == Kind::random; }
  /// Uniform in [-1, 1); 1; or uniform in -1000..1000 without 0.
  double operator()(std::uint64_t row_seed, GlobalIndex column) const {
    if (kind_ == Kind::ones) return 1;
    const double value = uniform_value(row_seed, static_cast<std::uint64_t>(column));
    if (kind_ == Kind::random) return value;
    return value < 0 ? std::floor(1000 * value) : std::floor(1000 * value) + 1;
  }

 private:
  enum class Kind { random, ones, integers };
  Kind kind_ = Kind::random;
};

/// The option seed.
std::uint64_t seed_of(const Spec& spec);

/// Option rows, or the argument; Spec::fail when both are missing.
GlobalIndex rows_of(const Spec& spec);

/// The option `key`, a number in 0..1, or `otherwise`.
double probability_of(const Spec& spec, const char* key, double otherwise);

/// Of a box of points each of which is coupled with its up to 26 neighbours and itself: the pairs.
/// Spec::fail when they exceed 64 bits.
GlobalIndex box_pairs(const Spec& spec, const Grid& grid);

/// Outline of a square matrix of `rows` rows.
MatrixOutline square_outline(const Spec& spec, GlobalIndex rows);

/// `count` distinct numbers, ascending: draw(numbers, left) adds some, at most `left`, and is
/// called until they are there.
void collect_distinct(Offset count, std::vector<GlobalIndex>& drawn, auto draw) {
  drawn.clear();
  while (std::ssize(drawn) < count) {
    while (std::ssize(drawn) < count) draw(drawn, count - std::ssize(drawn));
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  }
}

/// `count` distinct numbers of [0, limit), ascending: drawn from the stream of `row_seed`, from
/// draw `first_draw` on. Quick while `count` is at most half of `limit`.
void draw_distinct(std::uint64_t row_seed, std::uint64_t first_draw, Offset count,
                   GlobalIndex limit, std::vector<GlobalIndex>& drawn);

/// 64 bits of which each is one with probability `threshold` / 2^53.
std::uint64_t random_lanes(std::uint64_t word_seed, std::uint64_t threshold);

/// Local. Spec::fail when the even shares of the ranks of a host do not fit into the memory that it
/// may use. `nonzero_bytes`: while the matrix is made.
void check_size(const Spec& spec, const Comm& comm, const MatrixOutline& outline,
                std::int64_t nonzero_bytes = sizeof(GlobalIndex) + sizeof(double));

/// Rows of this rank.
DistributedCsr generate_rows(const auto& generator, const Comm& comm, Progress& progress) {
  constexpr GlobalIndex rows_per_tick = 4096;
  progress.phase("generate");
  DistributedCsr matrix;
  matrix.info = generator.outline.info;
  const MatrixInfo& info = matrix.info;
  const EvenShare share(comm, info.rows, info.block);
  const GlobalIndex rows = share.size();
  matrix.first_row = share.first;
  matrix.offsets.resize(rows + 1);
#pragma omp parallel for schedule(static)
  for (GlobalIndex row = 0; row < rows; ++row) {
    if (progress.stop_requested()) continue;
    matrix.offsets[row + 1] = generator.count(matrix.first_row + row);
    if (row % rows_per_tick == 0) progress.tick();
  }
  leave_if_requested(comm, progress);
  for (GlobalIndex row = 0; row < rows; ++row) matrix.offsets[row + 1] += matrix.offsets[row];
  resize_by_all_threads(matrix.columns, matrix.offsets[rows]);
  resize_by_all_threads(matrix.values, matrix.offsets[rows]);
  progress.expect(rows);
#pragma omp parallel for schedule(dynamic, 256)  // few rows may have most entries
  for (GlobalIndex row = 0; row < rows; ++row) {
    if (progress.stop_requested()) continue;
    const Offset at = matrix.offsets[row];
    generator.fill(matrix.first_row + row, matrix.columns.data() + at, matrix.values.data() + at);
    if (row % rows_per_tick == 0) progress.add(rows_per_tick);
  }
  leave_if_requested(comm, progress);
  return matrix;
}

/// Collective. The generator that the options ask for, whose matrix may have any size.
template <class Generator>
Generator agreed_generator(const Spec& spec, const Comm& comm) {
  std::optional<Generator> generator;
  agree(comm, [&] { generator.emplace(spec); });
  return *std::move(generator);
}

template <class Generator>
MatrixOutline outline_generated(const Spec& spec, const Comm& comm) {
  return agreed_generator<Generator>(spec, comm).outline;
}

/// The source that makes the matrices of a generator; a matrix that does not fit into the memory is
/// refused.
template <class Generator>
inline constexpr SourceFunctions generated_by{
    [](const Spec& spec, const Comm& comm, Progress& progress) {
      const Generator generator = agreed_generator<Generator>(spec, comm);
      agree(comm, [&] { check_size(spec, comm, generator.outline); });
      return generate_rows(generator, comm, progress);
    },
    outline_generated<Generator>};

}  // namespace rowhalo

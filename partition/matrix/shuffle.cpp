// SPDX-License-Identifier: BSD-3-Clause
//
// The keyed bijection and the renumbering of a matrix by it (shuffle.hpp).
#include "partition/matrix/shuffle.hpp"

#include <utility>

#include "partition/base/hash.hpp"
#include "partition/matrix/migrate.hpp"

namespace rowhalo {

Shuffle::Shuffle(std::uint64_t seed, GlobalIndex size) : size_(size), half_bits_(0) {
  for (std::size_t round = 0; round < keys_.size(); ++round) keys_[round] = mix64(seed, round);
  while (half_bits_ < 32 &&
         (std::uint64_t{1} << 2 * half_bits_) < static_cast<std::uint64_t>(size)) {
    ++half_bits_;
  }
}

GlobalIndex Shuffle::walk(GlobalIndex from, Direction direction) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  const bool back = direction == Direction::to_source;
  auto number = static_cast<std::uint64_t>(from);
  do {
    std::uint64_t left = number >> half_bits_, right = number & mask;
    // Backwards: the halves change places, and the keys come from the last.
    if (back) std::swap(left, right);
    for (std::size_t round = 0; round < keys_.size(); ++round) {
      const std::uint64_t key = keys_[back ? keys_.size() - 1 - round : round];
      left = std::exchange(right, left ^ (mix64(key ^ right) & mask));
    }
    if (back) std::swap(left, right);
    number = left << half_bits_ | right;
  } while (number >= static_cast<std::uint64_t>(size_));
  return static_cast<GlobalIndex>(number);
}

DistributedCsr shuffled(const Comm& comm, DistributedCsr&& matrix, const Shuffle& shuffle,
                        Progress& progress) {
  progress.phase("shuffle");
  MatrixInfo info = matrix.info;
  require_square(info, "--shuffle", "shuffled");
  info.block = 1;
  info.grid.reset();

  std::vector<int> owners(matrix.local_rows());
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < owners.size(); ++row) {
    const GlobalIndex number =
        shuffle.to_shuffled(matrix.first_row + static_cast<GlobalIndex>(row));
    owners[row] = even_split_owner(info.rows, 1, comm.size, number);
  }
  MigratedRows rows = migrate(comm, std::move(matrix), owners, progress);

  DistributedCsr result;
  result.first_row = even_split(info.rows, 1, comm.size, comm.rank);
  result.info = std::move(info);
  std::vector<GlobalIndex> row_at(rows.numbers.size());
  for (std::size_t row = 0; row < rows.numbers.size(); ++row) {
    row_at[shuffle.to_shuffled(rows.numbers[row]) - result.first_row] =
        static_cast<GlobalIndex>(row);
  }
  reorder(rows, row_at);
  static_cast<CsrRows&>(result) = rows.take_rows();
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < result.columns.size(); ++k) {
    result.columns[k] = shuffle.to_shuffled(result.columns[k]);
  }
  return result;
}

}  // namespace rowhalo

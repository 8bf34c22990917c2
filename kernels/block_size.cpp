// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a block size (block_size.hpp).
#include "kernels/block_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace rowhalo {

LocalIndex BlockCover::first_row(std::int64_t block_row) const {
  return static_cast<LocalIndex>(std::min<std::int64_t>(block_row * b_, rows_.count));
}

bool BlockCover::is_full(const CoveringBlock& block) const {
  return block.mask == ~std::uint64_t{0} >> (64 - b_ * b_);
}

/// Merges the columns of the rows, which mostly ascend as they stand.
const std::vector<CoveringBlock>& BlockCover::blocks(std::int64_t block_row, std::size_t most) {
  const LocalIndex first = first_row(block_row), lanes = first_row(block_row + 1) - first;
  // A block holds no more than b entries of a row.
  const Offset most_entries =
      static_cast<Offset>(std::min<std::size_t>(most, std::numeric_limits<LocalIndex>::max()) *
                          static_cast<std::size_t>(b_));
  const LocalIndex *next[largest_block_size], *end[largest_block_size];
  for (LocalIndex i = 0; i < lanes; ++i) {
    const LocalIndex row = rows_[first + i];
    next[i] = csr_.indices + csr_.offsets[row];
    end[i] = next[i] + std::min(csr_.offsets[row + 1] - csr_.offsets[row], most_entries);
    if (std::is_sorted(next[i], end[i])) continue;
    sorted_[i].assign(next[i], end[i]);
    std::sort(sorted_[i].begin(), sorted_[i].end());
    next[i] = sorted_[i].data();
    end[i] = next[i] + sorted_[i].size();
  }
  blocks_.clear();
  while (blocks_.size() < most) {
    std::int64_t column = csr_.columns;
    for (LocalIndex i = 0; i < lanes; ++i) {
      if (next[i] != end[i]) column = std::min<std::int64_t>(column, *next[i]);
    }
    if (column == csr_.columns) break;
    CoveringBlock block{static_cast<LocalIndex>(column), 0};
    for (LocalIndex i = 0; i < lanes; ++i) {
      for (; next[i] != end[i] && *next[i] - column < b_; ++next[i]) {
        block.mask |= std::uint64_t{1} << (i * b_ + (*next[i] - column));
      }
    }
    blocks_.push_back(block);
  }
  return blocks_;
}

BlockEstimate estimate_blocks(int size, double value_bytes, const BlockSample& sample) {
  if (sample.entries == 0) return {};
  const auto blocks = static_cast<double>(sample.blocks);
  const auto entries = static_cast<double>(sample.entries);
  const double area = size * size;
  const double bytes =
      blocks * (area * value_bytes + sizeof(LocalIndex)) + 8.0 * static_cast<double>(sample.masks);
  return {size, entries / (blocks * area), bytes / entries};
}

BlockEstimate best_blocks(const BlockSamples& samples, double value_bytes) {
  BlockEstimate best;
  for (int size = smallest_block_size; size <= largest_block_size; ++size) {
    const BlockEstimate other =
        estimate_blocks(size, value_bytes, samples[size - smallest_block_size]);
    if (best.size == 0 || (other.size != 0 && other.bytes < best.bytes)) best = other;
  }
  return best;
}

namespace {

bool says_size(const CsrView& matrix) {
  return matrix.block >= smallest_block_size && matrix.block <= largest_block_size;
}

BlockSample sample_of_size(BlockCover cover, std::int64_t count, std::size_t most_blocks) {
  BlockSample sample;
  const std::int64_t block_rows = cover.block_rows();
  for (std::int64_t k = 0; k < count; ++k) {
    for (const CoveringBlock& block : cover.blocks(k * block_rows / count, most_blocks)) {
      ++sample.blocks;
      sample.entries += std::popcount(block.mask);
      sample.masks += cover.is_full(block) ? 0 : 1;
    }
  }
  return sample;
}

int measured_size(const CsrView& matrix, const Spec& options, const BlockSamples& samples) {
  const auto value_bytes = static_cast<double>(matrix_value_bytes(matrix.precision));
  const BlockEstimate best = best_blocks(samples, value_bytes);
  if (best.size == 0) return smallest_block_size;
  const double offsets = static_cast<double>(sizeof(Offset)) * matrix.rows;
  const double csr =
      value_bytes + sizeof(LocalIndex) + offsets / static_cast<double>(matrix.nonzeros);
  if (best.bytes < csr) return best.size;
  options.fail(
      fmt::format("blocks would store more bytes than CSR: at best, {0} x {0} and {1:.0f} % full, "
                  "{2:.1f} per nonzero instead of {3:.1f}; use sell, or say b={0}",
                  best.size, 100 * best.fill, best.bytes, csr));
}

}  // namespace

BlockSamples sample_blocks(const CsrView& host, RowListView rows, const BlockSampling& sampling) {
  BlockSamples samples;
  const double mean = static_cast<double>(host.nonzeros) / std::max<LocalIndex>(host.rows, 1);
  for (int size = smallest_block_size; size <= largest_block_size; ++size) {
    if (says_size(host) && size != host.block) continue;
    const BlockCover cover(host, rows, size);
    const auto wanted = static_cast<std::int64_t>(sampling.entries / std::max(mean * size, 1.0));
    const std::int64_t count = std::clamp(wanted, sampling.fewest_rows, sampling.most_rows);
    samples[size - smallest_block_size] =
        sample_of_size(cover, std::min(count, cover.block_rows()), sampling.most_blocks);
  }
  return samples;
}

std::string describe_blocks(int size, Offset nonzeros, Offset slots) {
  const double fill = slots == 0 ? 1 : static_cast<double>(nonzeros) / static_cast<double>(slots);
  return fmt::format("b={} fill={:.3f}", size, fill);
}

BlockSize choose_block_size(const CsrView& matrix, const Spec& options,
                            const std::function<BlockSamples()>& measure) {
  const bool known = says_size(matrix);
  if (!known && !options.has("b")) return {measured_size(matrix, options, measure()), true};
  return {static_cast<int>(options.integer("b", known ? matrix.block : smallest_block_size,
                                           smallest_block_size, largest_block_size)),
          false};
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a block size (block_size.hpp).
#include "kernels/block_size.hpp"

#include <fmt/format.h>

namespace rowhalo {
namespace {

/// What blocks of one size would store.
struct Estimate {
  int size = 0;
  double fill = 0, bytes = 0;  ///< bytes: of a nonzero
};

Estimate estimate(int size, double value_bytes, const BlockSample& sample) {
  const auto blocks = static_cast<double>(sample.blocks);
  const auto entries = static_cast<double>(sample.entries);
  const double area = size * size;
  const double bytes =
      blocks * (area * value_bytes + sizeof(LocalIndex)) + 8.0 * static_cast<double>(sample.masks);
  return {size, entries / (blocks * area), bytes / entries};
}

int measured_size(const CsrView& matrix, const Spec& options, const BlockSamples& samples) {
  if (samples[0].entries == 0) return smallest_block_size;
  const auto value_bytes = static_cast<double>(matrix_value_bytes(matrix.precision));
  Estimate best = estimate(smallest_block_size, value_bytes, samples[0]);
  for (int size = smallest_block_size + 1; size <= largest_block_size; ++size) {
    const Estimate other = estimate(size, value_bytes, samples[size - smallest_block_size]);
    if (other.bytes < best.bytes) best = other;
  }
  const double offsets = static_cast<double>(sizeof(Offset)) * matrix.rows;
  const double csr =
      value_bytes + sizeof(LocalIndex) + offsets / static_cast<double>(matrix.nonzeros);
  if (best.bytes < csr) return best.size;
  options.fail(
      fmt::format("blocks would store more bytes than CSR: at best, {0} x {0} and {1:.0f} % full, "
                  "{2:.1f} a nonzero instead of {3:.1f}; use sell, or say b={0}",
                  best.size, 100 * best.fill, best.bytes, csr));
}

}  // namespace

BlockSize choose_block_size(const CsrView& matrix, const Spec& options,
                            const std::function<BlockSamples()>& measure) {
  const bool known = matrix.block >= smallest_block_size && matrix.block <= largest_block_size;
  if (!known && !options.has("b")) return {measured_size(matrix, options, measure()), true};
  return {static_cast<int>(options.integer("b", known ? matrix.block : smallest_block_size,
                                           smallest_block_size, largest_block_size)),
          false};
}

}  // namespace rowhalo

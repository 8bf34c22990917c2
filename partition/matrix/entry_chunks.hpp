// SPDX-License-Identifier: BSD-3-Clause
//
// Entries in the order in which they come, their number unknown: kept in chunks, so that growing
// copies nothing. Chunks are larger than what malloc ever keeps in its heap (32 MiB), so that they
// go back to the system when they are freed; what is not used of a chunk is never touched.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

class EntryChunks {
 public:
  /// Room for `count` more entries in one piece, for the caller to fill.
  std::span<Entry> append(std::size_t count) {
    if (chunks_.empty() || chunks_.back().capacity - chunks_.back().size < count) {
      const std::size_t capacity = std::max(count, entries_per_chunk);
      chunks_.push_back({std::make_unique_for_overwrite<Entry[]>(capacity), 0, capacity});
    }
    Chunk& chunk = chunks_.back();
    return {chunk.entries.get() + std::exchange(chunk.size, chunk.size + count), count};
  }

  /// All entries so far, in order.
  std::vector<std::span<const Entry>> pieces() const {
    std::vector<std::span<const Entry>> pieces;
    for (const Chunk& chunk : chunks_) pieces.emplace_back(chunk.entries.get(), chunk.size);
    return pieces;
  }

 private:
  struct Chunk {
    std::unique_ptr<Entry[]> entries;
    std::size_t size, capacity;
  };
  static constexpr std::size_t entries_per_chunk = std::size_t{3} << 19;
  static_assert(entries_per_chunk * sizeof(Entry) > std::size_t{32} << 20);

  std::vector<Chunk> chunks_;
};

/// Local. Builds the rows [first_row, last_row) from entries in file order: sorted by column within
/// a row, duplicates summed in the order in which they stand. Uses all threads. The peak is the
/// entries and the arrays of the result; `entries` are freed before the rows are sorted. Columns
/// are not checked; rows outside the range are a std::logic_error.
DistributedCsr assemble_rows(const MatrixInfo& info, GlobalIndex first_row, GlobalIndex last_row,
                             EntryChunks&& entries);

}  // namespace rowhalo

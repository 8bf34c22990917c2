// SPDX-License-Identifier: BSD-3-Clause
//
// How conversions walk the listed rows of a local matrix: a thread per row, or a warp per row whose
// lanes take its entries side by side. Work is a device lambda (for_each_item of threads.cuh).
#pragma once

#include "kernels/gpu/conversion/row_tiles.cuh"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/threads.cuh"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// A row, and its entries in the arrays of CSR.
struct RowEntries {
  LocalIndex row;
  Offset begin, end;

  constexpr Offset length() const { return end - begin; }
};

/// Row k of the list; beyond its end one without entries.
__device__ inline RowEntries entries_of(const CsrView& matrix, RowListView rows, std::int64_t k) {
  if (k >= rows.count) return {0, 0, 0};
  const LocalIndex row = rows[static_cast<LocalIndex>(k)];
  return {row, matrix.offsets[row], matrix.offsets[row + 1]};
}

template <class Work>
__global__ void visit_rows(CsrView matrix, RowListView rows, Work work) {
  const std::int64_t k = thread_index();
  if (k < rows.count) work(k, entries_of(matrix, rows, k));
}

/// work(k, RowEntries) for row k of the list.
template <class Work>
void for_each_row(const CsrView& matrix, RowListView rows, const Work& work) {
  launch_items(visit_rows<Work>, rows.count, matrix, rows, work);
}

template <class Work>
__global__ void visit_entries(CsrView matrix, RowListView rows, Work work) {
  const std::int64_t k = thread_index() / warp_size;
  const RowEntries row = entries_of(matrix, rows, k);
  for (Offset e = row.begin + threadIdx.x % warp_size; e < row.end; e += warp_size) {
    work(k, row, e);
  }
}

/// work(k, RowEntries, e) for every entry e of row k of the list.
template <class Work>
void for_each_entry(const CsrView& matrix, RowListView rows, const Work& work,
                    ConversionLaunch launch = {}) {
  launch_items(launch, visit_entries<Work>, std::int64_t{rows.count} * warp_size, matrix, rows,
               work);
}

/// to[place] = from[source]; both hold numbers of so many bytes, whatever they mean.
__device__ inline void copy_number(std::size_t bytes, const void* from, Offset source, void* to,
                                   Offset place) {
  if (bytes == sizeof(std::uint64_t)) {
    static_cast<std::uint64_t*>(to)[place] = static_cast<const std::uint64_t*>(from)[source];
  } else if (bytes == sizeof(std::uint32_t)) {
    static_cast<std::uint32_t*>(to)[place] = static_cast<const std::uint32_t*>(from)[source];
  } else {
    static_cast<std::uint16_t*>(to)[place] = static_cast<const std::uint16_t*>(from)[source];
  }
}

template <class Word>
__device__ void copy_words(const void* from, const RowEntries& row, int stride, void* to,
                           Offset place, std::int64_t apart) {
  const Word* numbers = static_cast<const Word*>(from);
  Word* target = static_cast<Word*>(to) + place;
  if (stride != 1) {
#pragma unroll 4
    for (Offset e = row.begin; e < row.end; e += stride, target += apart) {
      *target = cached(numbers + e);
    }
    return;
  }
  constexpr int depth = 16;
  RowTile<Word, depth> tile;
  const unsigned longest = __reduce_max_sync(all_lanes, static_cast<unsigned>(row.end - row.begin));
  for (unsigned first = 0; first < longest; first += depth) {
    const Offset next = row.begin + first;
    tile.load(numbers, next, row.end);
    const auto count = static_cast<int>(min(row.end - next, Offset{depth}));
#pragma unroll 4
    for (int k = 0; k < count; ++k, target += apart) *target = tile[k];
  }
}

/// All lanes of a warp, with a row each, which may be empty: every stride-th number of it to places
/// that are so far apart, the first to `place`.
__device__ inline void copy_row(std::size_t bytes, const void* from, const RowEntries& row,
                                int stride, void* to, Offset place, std::int64_t apart) {
  if (bytes == sizeof(std::uint64_t)) {
    copy_words<std::uint64_t>(from, row, stride, to, place, apart);
  } else if (bytes == sizeof(std::uint32_t)) {
    copy_words<std::uint32_t>(from, row, stride, to, place, apart);
  } else {
    copy_words<std::uint16_t>(from, row, stride, to, place, apart);
  }
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// How csr-balanced shares out the entries of a local matrix: made once, on the device. The listed
// rows' entries stand one after the other, in chunks of 256; a share is a few chunks in succession,
// and a warp of the product sums one share after the other (csr_balanced.cu). Rows without entries
// are in no chunk: a bit each, so that the product writes them and reads nothing for them.
#pragma once

#include "kernels/balanced_shares.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// Entries that a lane sums one after the other, and those that its warp sums at once.
inline constexpr int lane_entries = 8, chunk_entries = warp_size * lane_entries;

/// What the kernel reads of a plan.
struct BalancedView {
  Offset entries;
  /// Of each lane of each chunk: bit j: its entry j is the last of a row; above these 8 bits, rows
  /// that end before the lane in the chunk.
  const std::uint16_t* marks;
  const LocalIndex* ended;    ///< rows that end before a chunk; one more for the end
  const LocalIndex* rows;     ///< that have entries; null where all rows are listed and have some
  EvenParts shares;           ///< of the chunks
  const std::int32_t* order;  ///< share that a warp takes in place of so many-th; null: that
  const std::int32_t* open;   ///< split row that goes on at the begin of a share, or -1; one more
  const SplitRow* split_rows;
  RowListView listed;
  const unsigned* empty;  ///< bit k % 32 of word k / 32: listed row k has no entry; or null
  EvenParts units;        ///< of these words; as many as shares, or more
};

struct BalancedPlan {
  Offset entries = 0;
  RowListView listed;
  EvenParts shares, units;
  DeviceArray<std::uint16_t> marks;
  DeviceArray<LocalIndex> ended, rows;
  DeviceArray<std::int32_t> order, open;
  DeviceArray<SplitRow> split_rows;
  DeviceArray<unsigned> empty;
  /// The listed rows have all entries of the local matrix, which are used where they are.
  bool in_place = true;
  /// Else: entries of the listed rows alone.
  DeviceArray<LocalIndex> indices;
  DeviceMemory values;
  DeviceArray<Offset> row_begins;  ///< of `rows` among these, where values will change

  BalancedView view() const {
    return {entries,      marks.data(),
            ended.data(), rows.size() > 0 ? rows.data() : nullptr,
            shares,       order.data(),
            open.data(),  split_rows.data(),
            listed,       empty.size() > 0 ? empty.data() : nullptr,
            units};
  }
  /// Read in a product, beside entries and the list of rows.
  std::int64_t bytes() const {
    return marks.bytes() + ended.bytes() + rows.bytes() + order.bytes() + open.bytes() +
           split_rows.bytes() + empty.bytes();
  }
};

/// For warps that are each to take about `chunks` chunks at once.
BalancedPlan make_balanced_plan(const CsrView& matrix, RowListView rows, WarpGrid grid, int chunks);

/// Copies the values of the listed rows anew, in the order of `stream`; of a plan that is not in
/// place, made from a matrix whose values change.
void copy_listed_values(const CsrView& matrix, const BalancedPlan& plan, Stream stream);

/// Rows of very many shares set the pace by the sectors of x that they load. Their shares are
/// spread evenly over the thread blocks, and shares of several rows that lie in the same columns to
/// the same block at once: what one has loaded is then in the cache for the others. `indices`: of
/// the plan's entries.
void gather_long_rows(BalancedPlan& plan, const LocalIndex* indices, WarpGrid grid);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Lengths of the rows and two prefix sums over them (listed_rows.hpp).
#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {

DeviceArray<Offset> row_lengths(const CsrView& matrix, RowListView rows) {
  DeviceArray<Offset> lengths(rows.count);
  for_each_row(matrix, rows,
               [lengths = lengths.data()] __device__(std::int64_t k, const RowEntries& row) {
                 lengths[k] = row.length();
               });
  return lengths;
}

ListedRows number_listed_rows(const CsrView& matrix, RowListView rows) {
  const DeviceArray<Offset> lengths(std::int64_t{rows.count} + 1);
  const DeviceArray<LocalIndex> nonempty(lengths.size());
  ListedRows listed;
  listed.empty = DeviceArray<unsigned>(blocks_for(rows.count, warp_size));
  for_each_item(blocks_for(lengths.size(), warp_size) * std::int64_t{warp_size},
                [=, lengths = lengths.data(), nonempty = nonempty.data(),
                 empty = listed.empty.data()] __device__(std::int64_t k) {
                  const Offset length = entries_of(matrix, rows, k).length();
                  const unsigned without = __ballot_sync(all_lanes, k < rows.count && length == 0);
                  if (k > rows.count) return;
                  lengths[k] = length;
                  nonempty[k] = length > 0 ? 1 : 0;
                  if (k < rows.count && k % warp_size == 0) empty[k / warp_size] = without;
                });
  listed.begins = prefix_sum(lengths);
  listed.nonempty = prefix_sum(nonempty);
  listed.entries = listed.begins.back();
  listed.with_entries = listed.nonempty.back();
  return listed;
}

}  // namespace rowhalo

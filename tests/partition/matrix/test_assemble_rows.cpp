// SPDX-License-Identifier: BSD-3-Clause
//
// Rows from so many entries that threads share them, and the chunks that entries come in.
// test_distributed_csr.cpp has the small cases.
#include <omp.h>

#include <algorithm>
#include <vector>

#include "partition/base/hash.hpp"
#include "tests/catch.hpp"
#include "tests/partition/assembled.hpp"

using namespace rowhalo;

namespace {

/// The rows by the definition, one after the other.
DistributedCsr expected_rows(const std::vector<Entry>& entries, GlobalIndex first,
                             GlobalIndex rows) {
  std::vector<std::vector<Entry>> by_row(rows);
  for (const Entry& entry : entries) by_row[entry.row - first].push_back(entry);
  DistributedCsr expected;
  for (auto& row : by_row) {
    std::stable_sort(row.begin(), row.end(),
                     [](const Entry& a, const Entry& b) { return a.column < b.column; });
    for (const Entry& entry : row) {
      const bool again = static_cast<Offset>(expected.columns.size()) > expected.offsets.back() &&
                         expected.columns.back() == entry.column;
      if (again) {
        expected.values.back() += entry.value;
      } else {
        expected.columns.push_back(entry.column);
        expected.values.push_back(entry.value);
      }
    }
    expected.offsets.push_back(static_cast<Offset>(expected.columns.size()));
  }
  return expected;
}

}  // namespace

TEST_CASE("many entries: any order, any threads, chunks or not, the same rows", "[assemble_rows]") {
  constexpr GlobalIndex first = 100, rows = 5000, columns = 40;
  const int threads_before = omp_get_max_threads();
  for (const char* order : {"by row", "by column", "scattered"}) {
    CAPTURE(order);
    std::vector<Entry> entries;
    for (GlobalIndex k = 0; k < 150000; ++k) {
      const auto draw = static_cast<GlobalIndex>(mix64(static_cast<std::uint64_t>(k)) >> 1);
      const GlobalIndex at = order[0] == 's' ? draw : k;
      const GlobalIndex row = order[3] == 'c' ? at % rows : at / 30 % rows;
      // Duplicates whose sum depends on their order.
      entries.push_back({first + row, draw % columns, k % 3 == 0 ? 1e16 : 1.0 + k % 7});
    }
    const DistributedCsr expected = expected_rows(entries, first, rows);
    for (const int threads : {1, 3, 4}) {
      omp_set_num_threads(threads);
      EntryChunks chunks;
      for (std::size_t at = 0; at < entries.size(); at += 7000) {
        const std::size_t count = std::min<std::size_t>(7000, entries.size() - at);
        std::copy_n(entries.begin() + static_cast<std::ptrdiff_t>(at), count,
                    chunks.append(count).begin());
      }
      const DistributedCsr chunked =
          assemble_rows(MatrixInfo{}, first, first + rows, std::move(chunks));
      const DistributedCsr whole = assemble_rows(MatrixInfo{}, first, first + rows, entries);
      for (const DistributedCsr* matrix : {&chunked, &whole}) {
        CHECK(matrix->offsets == expected.offsets);
        CHECK(matrix->columns == expected.columns);
        CHECK(matrix->values == expected.values);
      }
    }
  }
  omp_set_num_threads(threads_before);
}

TEST_CASE("chunks of entries keep their order", "[assemble_rows]") {
  EntryChunks chunks;
  CHECK(chunks.pieces().empty());
  GlobalIndex next = 0;
  for (const std::size_t count : {0, 5, 2000000, 1, 100}) {  // one above the size of a chunk
    for (Entry& entry : chunks.append(count)) entry = {next++, 0, 1.0};
  }
  GlobalIndex met = 0;
  bool in_order = true;
  for (const auto piece : chunks.pieces()) {
    for (const Entry& entry : piece) in_order = in_order && entry.row == met++;
  }
  CHECK(in_order);
  CHECK(met == next);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Row lengths counted on the GPU; CSR from coordinates there, against a stable sort on the host.
#include <algorithm>
#include <numeric>

#include "kernels/gpu/conversion/coordinates.hpp"
#include "kernels/gpu/device/device_work.hpp"
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

TEST_CASE("row lengths are those that the host counts", "[short]") {
  for (const Matrix& matrix : matrices()) {
    const Typed<double> a(matrix);
    const DeviceCsr device(a.view());
    for (const NamedList& list : row_lists(matrix.rows())) {
      INFO(matrix.name << ", " << list.name);
      const RowLengths expected = count_row_lengths(a.view(), list.view());
      const DeviceRowList rows(list.list);
      const RowLengths lengths = row_lengths_on_device(
          device.view(), list.view().groups == nullptr ? list.view() : rows.view());
      CHECK(lengths.nonzeros == expected.nonzeros);
      CHECK(lengths.longest == expected.longest);
      CHECK(lengths.slots_of_8 == expected.slots_of_8);
      CHECK(lengths.slots_of_32 == expected.slots_of_32);
    }
  }
}

TEST_CASE("coordinates in any order become CSR, entries of a row in their order", "[short]") {
  for (const LocalIndex rows : {1, 7, 1000}) {
    for (const Offset count : {Offset{0}, Offset{1}, Offset{5000}}) {
      INFO(rows << " rows, " << count << " entries");
      std::vector<LocalIndex> entry_rows, columns;
      std::vector<double> values;
      for (Offset e = 0; e < count; ++e) {
        entry_rows.push_back(static_cast<LocalIndex>(mix64(3, e) % rows));
        columns.push_back(static_cast<LocalIndex>(mix64(4, e) % 100));
        values.push_back(static_cast<double>(e));
      }
      std::vector<Offset> order(count);
      std::iota(order.begin(), order.end(), Offset{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](Offset a, Offset b) { return entry_rows[a] < entry_rows[b]; });

      const DeviceArray<LocalIndex> device_rows{std::span<const LocalIndex>(entry_rows)};
      const DeviceArray<LocalIndex> device_columns{std::span<const LocalIndex>(columns)};
      const DeviceArray<double> device_values{std::span<const double>(values)};
      const CsrArrays csr = csr_of_coordinates(rows, Precision::fp64, count, device_rows.data(),
                                               device_columns.data(), device_values.data());
      const std::vector<Offset> offsets = csr.offsets.to_host();
      const std::vector<LocalIndex> indices = csr.indices.to_host();
      std::vector<double> sorted(count);
      copy_now(sorted.data(), csr.values.data(), sorted.size() * sizeof(double));
      REQUIRE(offsets.size() == std::size_t(rows) + 1);
      CHECK(offsets.back() == count);
      bool right = true;
      for (LocalIndex row = 0; row < rows; ++row) {
        for (Offset e = offsets[row]; e < offsets[row + 1]; ++e) {
          right = right && entry_rows[order[e]] == row && indices[e] == columns[order[e]] &&
                  sorted[e] == values[order[e]];
        }
      }
      CHECK(right);
    }
  }
}

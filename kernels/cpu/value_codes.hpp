// SPDX-License-Identifier: BSD-3-Clause
//
// Value codes: where the listed rows hold few distinct values, a table of them, so that an entry
// can be kept as one byte, or as nothing where there is only one value. Values are told apart by
// their bits: -0 is not +0, and every payload of NaN stands for itself. Exact, therefore. And where
// there are more, whether 16 bits hold each of them (fixed_point.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <optional>
#include <type_traits>
#include <vector>

#include "kernels/fixed_point.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/first_failure.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

template <class T>
class ValueTable {
 public:
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

  /// No table.
  ValueTable() = default;
  /// The values of the listed rows, ordered by their bits; no table where there are more than
  /// `most` (up to 256). All threads look, and all stop as soon as one has found too many.
  ValueTable(const CsrView& matrix, RowListView rows, std::size_t most);

  /// Distinct values; 0 where there is no table.
  std::size_t size() const { return bits_.size(); }
  T operator[](std::size_t code) const { return std::bit_cast<T>(bits_[code]); }
  std::uint8_t code(T value) const {
    return static_cast<std::uint8_t>(
        std::lower_bound(bits_.begin(), bits_.end(), std::bit_cast<Bits>(value)) - bits_.begin());
  }

 private:
  std::vector<Bits> bits_;  ///< ascending
};

template <class T>
ValueTable<T>::ValueTable(const CsrView& matrix, RowListView rows, std::size_t most) {
  const auto* values = static_cast<const T*>(matrix.values);
  std::atomic<bool> too_many = false;
  FirstFailure failure;
#pragma omp parallel
  {
    std::vector<Bits> found;  // ascending
    const auto look_at = [&](LocalIndex k) {
      for (Offset e = matrix.offsets[rows[k]]; e < matrix.offsets[rows[k] + 1]; ++e) {
        const Bits bits = std::bit_cast<Bits>(values[e]);
        const auto place = std::lower_bound(found.begin(), found.end(), bits);
        if (place != found.end() && *place == bits) continue;
        found.insert(place, bits);
        if (found.size() > most) break;
      }
      if (found.size() > most) too_many.store(true, std::memory_order_relaxed);
    };
#pragma omp for schedule(static)
    for (LocalIndex k = 0; k < rows.count; ++k) {
      if (too_many.load(std::memory_order_relaxed)) continue;
      failure.catching([&] { look_at(k); });
    }
#pragma omp critical
    failure.catching([&] {
      std::vector<Bits> all;
      std::set_union(bits_.begin(), bits_.end(), found.begin(), found.end(),
                     std::back_inserter(all));
      bits_.swap(all);
    });
  }
  failure.rethrow();
  if (bits_.size() > most) bits_.clear();
}

/// Nothing where 16 bits do not hold all values of the listed rows. All threads look, and all stop
/// as soon as one has found values that do not fit together.
template <class T>
std::optional<FixedPoint> fixed_point_of(const CsrView& matrix, RowListView rows) {
  const auto* values = static_cast<const T*>(matrix.values);
  std::atomic<bool> too_wide = false;
  ValueRange<T> all;
#pragma omp parallel
  {
    ValueRange<T> own;
#pragma omp for schedule(static)
    for (LocalIndex k = 0; k < rows.count; ++k) {
      if (too_wide.load(std::memory_order_relaxed)) continue;
      for (Offset e = matrix.offsets[rows[k]]; e < matrix.offsets[rows[k] + 1]; ++e) {
        own.add(values[e]);
      }
      if (own.too_wide()) too_wide.store(true, std::memory_order_relaxed);
    }
#pragma omp critical
    all.add(own);
  }
  return !too_wide && all.fits() ? std::optional(all.fixed_point()) : std::nullopt;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Values of a local matrix in fewer bytes, each with all its bits: as positions in a table where
// few are distinct, in 16 bits where that is exact (fixed_point.hpp), as fp32 where that loses none
// of fp64. Formats that take codes=on|off begin with it.
#pragma once

#include <bit>

#include "kernels/fixed_point.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/device/words.hpp"

namespace rowhalo {

struct ExactValues {
  std::vector<std::uint64_t> distinct;  ///< their bits, ascending; empty where they are too many
  std::optional<FixedPoint> fixed;      ///< where they are many, and 16 bits hold each of them
  DeviceMemory singles;  ///< else all of them as fp32; empty where some is not exact in it

  /// `matrix` with the values that are left to store.
  CsrView applied_to(CsrView matrix) const {
    if (singles.bytes() == 0) return matrix;
    matrix.values = singles.data();
    matrix.precision = Precision::mixed;
    return matrix;
  }
};

/// Bytes that codes must save at least in formats of CSR's order: smaller matrices stay in a cache,
/// where looking values up takes longer than reading them (on an H200 up to 8 %).
inline constexpr std::int64_t least_saved_of_csr = 4'000'000;

/// Nothing where codes=off or --value-codes off, nor, without codes=on, where fewer bytes than
/// `least_saved` would be saved.
ExactValues exact_values(const CsrView& matrix, const Spec& options, std::int64_t least_saved);

/// The distinct values as numbers, in device memory; `Stored` is their type in the matrix.
template <class Stored, class Number>
DeviceMemory table_of(const std::vector<std::uint64_t>& distinct) {
  std::vector<Number> table;
  for (const std::uint64_t bits : distinct) {
    table.push_back(static_cast<Number>(std::bit_cast<Stored>(static_cast<BitsOf<Stored>>(bits))));
  }
  DeviceMemory result(table.size() * sizeof(Number));
  copy_now(result.data(), table.data(), result.bytes());
  return result;
}

/// In which order codes of entries lie.
enum class CodeOrder {
  of_entries,
  of_chunks,  ///< in chunks of 256 entries: entry u * 32 + lane of a chunk at lane * 8 + u
};

/// What stands in place of values: positions in a table of few distinct ones, a byte each, or
/// numbers of 16 bits.
struct ValueCodes {
  DeviceMemory table;                   ///< the distinct values, in the type of the sums
  std::size_t distinct = 0;             ///< in the table
  DeviceArray<std::uint8_t> positions;  ///< in it, if there are several
  DeviceArray<std::uint16_t> fixed;
  FixedPoint point;  ///< what these mean

  explicit operator bool() const { return distinct > 0 || fixed.size() > 0; }
  std::int64_t bytes() const { return table.bytes() + positions.bytes() + fixed.bytes(); }
  /// "values=3", "values=16-bit" or nothing.
  std::string text() const {
    if (distinct > 0) return "values=" + std::to_string(distinct);
    return fixed.size() > 0 ? "values=16-bit" : "";
  }
};

/// Nothing where `exact` has neither. `values`: in device memory, of type Stored; codes of what
/// is behind the last entry of a chunk, and of values that are not in the table, may be any.
/// `number_bytes`: of a number in the table. Throws OutOfDeviceMemory.
template <class Stored, class Number>
ValueCodes value_codes(const Stored* values, Offset entries, const ExactValues& exact,
                       CodeOrder order);

/// Kernel<Numbers>(matrix, rows, options, exact values) with the number types of what is stored.
template <template <class> class Kernel, std::int64_t least_saved = 0>
std::unique_ptr<SpmvKernel> make_with_exact_values(const CsrView& matrix, RowListView rows,
                                                   const Spec& options) {
  const double start = host_seconds();
  ExactValues exact = exact_values(matrix, options, least_saved);
  const CsrView stored = exact.applied_to(matrix);
  const double seconds = host_seconds() - start;
  return with_numbers(stored.precision, [&]<class Numbers>() {
    return make_timed<Kernel<Numbers>>(seconds, stored, rows, options, std::move(exact));
  });
}

}  // namespace rowhalo

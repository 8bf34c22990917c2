// SPDX-License-Identifier: BSD-3-Clause
//
// The index and number types that every room shares.
// Numbers of the whole matrix are 64 bits wide; on one rank columns are 32 bits wide (an index
// costs as much bandwidth as half a value) and positions among the nonzeros 64 bits, so that a
// rank may hold more than 2^31 nonzeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rowhalo {

using GlobalIndex = std::int64_t;  ///< a row or column of the whole matrix
using LocalIndex = std::int32_t;   ///< a row or column on one rank
using Offset = std::int64_t;       ///< a position among the nonzeros of one rank

enum class Device { cpu, gpu };

/// What a and x are stored as, and what y is accumulated in.
enum class Precision { fp64, fp32 };

constexpr std::size_t value_bytes(Precision precision) {
  return precision == Precision::fp64 ? 8 : 4;
}

constexpr std::string_view name_of(Precision precision) {
  return precision == Precision::fp64 ? "fp64" : "fp32";
}

constexpr std::string_view name_of(Device device) {
  return device == Device::cpu ? "cpu" : "gpu";
}

/// `value` as it is stored in `precision`, widened again.
constexpr double rounded_to(Precision precision, double value) {
  return precision == Precision::fp64 ? value : static_cast<double>(static_cast<float>(value));
}

}  // namespace rowhalo

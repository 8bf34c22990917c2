// SPDX-License-Identifier: BSD-3-Clause
//
// The index and number types that all libraries share.
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

/// IEEE binary64, binary32, binary16, and bfloat16.
enum class NumberType { fp64, fp32, fp16, bf16 };

constexpr std::size_t bytes_of(NumberType type) {
  constexpr std::size_t bytes[] = {8, 4, 2, 2};
  return bytes[static_cast<int>(type)];
}

/// --precision: what numbers of a run are stored and summed in.
enum class Precision {
  fp64,
  fp32,
  mixed,  ///< a in fp32, x and y in fp64, sums in fp64
  fp16,   ///< sums in fp32
  bf16,   ///< sums in fp32
};

/// What a, and x and y, are stored in.
constexpr NumberType matrix_type(Precision precision) {
  constexpr NumberType types[] = {NumberType::fp64, NumberType::fp32, NumberType::fp32,
                                  NumberType::fp16, NumberType::bf16};
  return types[static_cast<int>(precision)];
}
constexpr NumberType vector_type(Precision precision) {
  return precision == Precision::mixed ? NumberType::fp64 : matrix_type(precision);
}
/// What a row is summed in; alpha and beta are of this type too.
constexpr NumberType sum_type(Precision precision) {
  return vector_type(precision) == NumberType::fp64 ? NumberType::fp64 : NumberType::fp32;
}

constexpr std::size_t matrix_value_bytes(Precision precision) {
  return bytes_of(matrix_type(precision));
}
constexpr std::size_t vector_value_bytes(Precision precision) {
  return bytes_of(vector_type(precision));
}

constexpr std::string_view name_of(NumberType type) {
  constexpr std::string_view names[] = {"fp64", "fp32", "fp16", "bf16"};
  return names[static_cast<int>(type)];
}

constexpr std::string_view name_of(Precision precision) {
  constexpr std::string_view names[] = {"fp64", "fp32", "mixed", "fp16", "bf16"};
  return names[static_cast<int>(precision)];
}

constexpr std::string_view name_of(Device device) {
  return device == Device::cpu ? "cpu" : "gpu";
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The number types of a precision as CUDA has them, and the one place where a precision chosen at
// run time becomes types:
//   with_numbers(matrix.precision, [&]<class Numbers>() { return ...; })
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdexcept>
#include <type_traits>

#include "kernels/product_arguments.hpp"

namespace rowhalo {

template <>
inline constexpr NumberType number_type_of<__half> = NumberType::fp16;
template <>
inline constexpr NumberType number_type_of<__nv_bfloat16> = NumberType::bf16;

/// What a is stored in, what x and y are stored in, and what a row is summed in.
template <class A, class V, class S>
struct NumberTypes {
  using Matrix = A;
  using Vector = V;
  using Sum = S;
};

template <class Numbers>
using ProductOf = ProductArguments<typename Numbers::Sum, typename Numbers::Vector>;

/// All of one type: of these there are kernels for values as positions in a table.
template <class Numbers>
inline constexpr bool takes_coded_values =
    std::is_same_v<typename Numbers::Matrix, typename Numbers::Sum>&&
        std::is_same_v<typename Numbers::Vector, typename Numbers::Sum>;

/// Whether formats have kernels for several vectors at once: not of 16 bits.
template <class Numbers>
inline constexpr bool has_several = sizeof(typename Numbers::Vector) >= sizeof(float);

/// Visits the types of any precision.
template <class Visitor>
auto with_numbers(Precision precision, const Visitor& visit) {
  switch (precision) {
    case Precision::fp64:
      return visit.template operator()<NumberTypes<double, double, double>>();
    case Precision::mixed:
      return visit.template operator()<NumberTypes<float, double, double>>();
    case Precision::fp16:
      return visit.template operator()<NumberTypes<__half, __half, float>>();
    case Precision::bf16:
      return visit.template operator()<NumberTypes<__nv_bfloat16, __nv_bfloat16, float>>();
    case Precision::fp32:
      break;
  }
  return visit.template operator()<NumberTypes<float, float, float>>();
}

/// Visits double or float: for formats without `reduced_precision` in the table.
template <class Visitor>
auto with_wide_numbers(Precision precision, const Visitor& visit) {
  if (precision == Precision::fp64) return visit.template operator()<double>();
  if (precision == Precision::fp32) return visit.template operator()<float>();
  throw std::logic_error("a format without reduced precision was asked for them");
}

}  // namespace rowhalo

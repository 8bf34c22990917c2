// SPDX-License-Identifier: BSD-3-Clause
//
// What a kernel is asked for: LocalProduct, one value for all kernels, with vectors that know the
// type of their entries. A kernel takes their addresses by as<T>(), so that neither an element type
// that kernels do not know (it does not compile) nor a vector of another type (std::logic_error) is
// multiplied as something that it is not.
#pragma once

#include "partition/base/types.hpp"

namespace rowhalo {

/// The NumberType of T. Only of the types that kernels know; those of CUDA are in
/// gpu/device/number_types.hpp.
template <class T>
extern const NumberType number_type_of;
template <>
inline constexpr NumberType number_type_of<double> = NumberType::fp64;
template <>
inline constexpr NumberType number_type_of<float> = NumberType::fp32;

/// Throws std::logic_error with both names.
[[noreturn]] void throw_other_type(NumberType given, NumberType wanted);

/// Entries in the memory of the kernel's device.
struct ConstVectorView {
  const void* data;
  NumberType type;

  /// Throws std::logic_error where the entries are of another type.
  template <class T>
  const T* as() const {
    constexpr NumberType wanted = number_type_of<T>;
    if (type != wanted) throw_other_type(type, wanted);
    return static_cast<const T*>(data);
  }
};

/// The same for entries that are written.
struct VectorView {
  void* data;
  NumberType type;

  template <class T>
  T* as() const {
    constexpr NumberType wanted = number_type_of<T>;
    if (type != wanted) throw_other_type(type, wanted);
    return static_cast<T*>(data);
  }
  operator ConstVectorView() const { return {data, type}; }
};

/// How many vectors a product takes at most.
constexpr int most_vectors = 32;

/// y = alpha A x + beta y over the listed rows of a local matrix. x and y are of the type that
/// vectors have in the precision of the matrix (vector_type()), and do not overlap. Several vectors
/// lie in row layout: entry i of vector k at i * vectors + k.
struct LocalProduct {
  double alpha = 1;
  ConstVectorView x;  ///< one entry per local column
  double beta = 0;
  VectorView y;  ///< one entry per row of the local matrix; only the listed rows are written
  /// SpmvKernel::dot_parts() entries in the memory of the device, which then add up to the sum of
  /// x[i] y[i] over the listed rows with the new y. Null: not wanted. For one vector only.
  double* dot_parts = nullptr;
  int vectors = 1;  ///< that x and y hold, up to most_vectors
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Several vectors of equal length in memory, and copies between their layouts. Row layout has the
// entries of a row side by side, so that a kernel that multiplies all vectors at once loads them
// together; column layout, one vector after the other, is that of PETSc, LAPACK and Fortran. A
// conversion reads and writes each entry once.
#pragma once

#include <cstdint>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/halo_vector.hpp"

namespace rowhalo {

/// How vectors lie from their first entry on.
struct VectorsShape {
  NumberType type = NumberType::fp64;
  int vectors = 1;
  Layout layout = Layout::row;
  std::int64_t leading = 0;  ///< column layout: entries from one vector to the next

  /// Bytes from the first entry to entry `row` of vector k.
  std::int64_t bytes_to(std::int64_t row, int k) const {
    const std::int64_t place = layout == Layout::row ? row * vectors + k : k * leading + row;
    return place * static_cast<std::int64_t>(bytes_of(type));
  }
};

struct ConstVectorsView {
  const void* data = nullptr;
  VectorsShape shape = {};

  const std::byte* at(std::int64_t row, int k) const {
    return static_cast<const std::byte*>(data) + shape.bytes_to(row, k);
  }
  /// From entry `row` of each vector on.
  ConstVectorsView from(std::int64_t row) const { return {at(row, 0), shape}; }
};

struct VectorsView {
  void* data = nullptr;
  VectorsShape shape = {};

  std::byte* at(std::int64_t row, int k) const {
    return static_cast<std::byte*>(data) + shape.bytes_to(row, k);
  }
  VectorsView from(std::int64_t row) const { return {at(row, 0), shape}; }
  operator ConstVectorsView() const { return {data, shape}; }
};

/// The owned entries of `x`.
inline VectorsView owned_of(const HaloVector& x) {
  const auto leading = static_cast<std::int64_t>(x.stride_bytes / bytes_of(x.type));
  return {x.data, {x.type, x.vectors, x.layout, leading}};
}

/// Copies `rows` entries of every vector into the other layout: one of `from` and `to` is in row
/// layout, the other in column layout; both in memory of `device`, apart. On a GPU in the order of
/// `stream`.
void convert_layout(Device device, std::int64_t rows, const ConstVectorsView& from,
                    const VectorsView& to, Stream stream = {});

/// Copies `rows` entries of every vector between column layout in host memory and either layout in
/// memory of `device`, in pieces that need no memory to speak of; back when it is done.
void put_vectors(Device device, std::int64_t rows, const ConstVectorsView& host,
                 const VectorsView& to);
void get_vectors(Device device, std::int64_t rows, const ConstVectorsView& from,
                 const VectorsView& host);

/// convert_layout() on a GPU (layouts.cu). Throws std::runtime_error where the launch fails.
void convert_layout_on_device(std::int64_t rows, const ConstVectorsView& from,
                              const VectorsView& to, Stream stream);

}  // namespace rowhalo

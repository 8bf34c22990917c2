// SPDX-License-Identifier: BSD-3-Clause
//
// HaloVector: one rank's part of x, [owned entries | ghosts], contiguous, in the memory of the
// transport that made it. All vectors of a rank lie in one allocation, a multiple of 2 MiB, so that
// a transport can hand a single handle of it to the neighbours and vectors sit on huge pages.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "kernels/local_product.hpp"

namespace rowhalo {

/// How several vectors lie in memory.
enum class Layout {
  row,    ///< the entries of a row side by side
  column  ///< one vector after the other
};
constexpr const char* name_of(Layout layout) {
  return layout == Layout::row ? "row" : "column";
}

/// View; valid until the transport that made it is closed. Several vectors at once lie in row
/// layout, the entries of an owned row or a ghost side by side, where they are multiplied together;
/// in column layout, each [owned entries | ghosts], where one is after the other.
struct HaloVector {
  std::byte* data = nullptr;
  LocalIndex owned = 0, ghosts = 0;
  NumberType type = NumberType::fp64;
  int slot = 0;  ///< 0, 1, ... among the vectors of its transport
  Device device = Device::cpu;
  int vectors = 1;
  Layout layout = Layout::row;
  std::size_t stride_bytes = 0;  ///< column layout: from one vector to the next

  /// The owned entries, of type T; of all vectors in row layout, of the first in column layout.
  template <class T>
  std::span<T> entries() const {
    const int side_by_side = layout == Layout::row ? vectors : 1;
    return {view().as<std::remove_const_t<T>>(), static_cast<std::size_t>(owned) * side_by_side};
  }
  /// One of the vectors in column layout.
  HaloVector column(int k) const {
    return {data + k * stride_bytes, owned, ghosts, type, slot + k, device};
  }
  /// Of an owned row or a ghost.
  std::size_t element_bytes() const {
    return (layout == Layout::row ? vectors : 1) * bytes_of(type);
  }
  VectorView view() const { return {data, type}; }
  std::byte* ghost_data() const { return data + static_cast<std::size_t>(owned) * element_bytes(); }
};

}  // namespace rowhalo

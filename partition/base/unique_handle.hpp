// SPDX-License-Identifier: BSD-3-Clause
//
// Owner of a handle of a C library that is not a pointer: an HDF5 id, an MPI object.
// Traits: `Value`, the handle; `none`, the value that names nothing; `release(Value)`.
#pragma once

#include <utility>

namespace rowhalo {

template <class Traits>
class UniqueHandle {
 public:
  using Value = typename Traits::Value;

  UniqueHandle() = default;
  explicit UniqueHandle(Value value) : value_(value) {}
  ~UniqueHandle() {
    if (*this) Traits::release(value_);
  }
  UniqueHandle(UniqueHandle&& other) noexcept : value_(std::exchange(other.value_, Traits::none)) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }

  explicit operator bool() const { return value_ != Traits::none; }
  Value get() const { return value_; }
  /// Gives the handle away, for a release whose outcome matters.
  Value take() { return std::exchange(value_, Traits::none); }

 private:
  Value value_ = Traits::none;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Large arrays of CPU formats: not initialised, so that the first thread to write a page decides on
// which socket it lies, and on huge pages (huge_pages.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "partition/base/huge_pages.hpp"

namespace rowhalo {

template <class T>
class Buffer {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  Buffer() = default;
  explicit Buffer(std::int64_t size) : size_(size) {
    const auto wanted = static_cast<std::size_t>(bytes());
    if (wanted >= huge_page) {
      large_ = HugePages(wanted);
    } else {
      small_.reset(static_cast<T*>(::operator new(wanted, cache_line)));
    }
  }

  T* data() { return begin(); }
  const T* data() const { return begin(); }
  T& operator[](std::int64_t k) { return begin()[k]; }
  const T& operator[](std::int64_t k) const { return begin()[k]; }
  std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }

 private:
  static constexpr std::align_val_t cache_line{64};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, cache_line); }
  };
  T* begin() const { return small_ ? small_.get() : reinterpret_cast<T*>(large_.data()); }

  std::int64_t size_ = 0;
  std::unique_ptr<T, Free> small_;
  HugePages large_;
};

}  // namespace rowhalo

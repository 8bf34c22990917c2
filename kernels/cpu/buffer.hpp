// SPDX-License-Identifier: BSD-3-Clause
//
// Large arrays of CPU formats: not initialised, so that the first thread to write a page decides on
// which socket it lies, and in huge pages where the system grants them on request: a product
// streams through hundreds of megabytes, and fewer pages mean fewer page walks.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace rowhalo {

template <class T>
class Buffer {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  Buffer() = default;
  explicit Buffer(std::int64_t size) : size_(size) {
    const auto wanted = static_cast<std::size_t>(bytes());
    const std::align_val_t alignment{wanted >= huge_page ? huge_page : cache_line};
    data_ = {static_cast<T*>(::operator new(wanted, alignment)), Free{alignment}};
#if defined(__linux__)
    // Only advice: where it is refused the pages are small.
    if (wanted >= huge_page) madvise(data_.get(), wanted, MADV_HUGEPAGE);
#endif
  }

  T* data() {
    return data_.get();
  }
  const T* data() const {
    return data_.get();
  }
  T& operator[](std::int64_t k) {
    return data_.get()[k];
  }
  const T& operator[](std::int64_t k) const {
    return data_.get()[k];
  }
  std::int64_t bytes() const {
    return size_ * static_cast<std::int64_t>(sizeof(T));
  }

 private:
  static constexpr std::size_t cache_line = 64, huge_page = std::size_t{1} << 21;
  struct Free {
    std::align_val_t alignment{cache_line};
    void operator()(T* data) const { ::operator delete(data, alignment); }
  };
  std::int64_t size_ = 0;
  std::unique_ptr<T, Free> data_;
};

}  // namespace rowhalo

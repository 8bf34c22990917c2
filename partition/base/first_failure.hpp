// SPDX-License-Identifier: BSD-3-Clause
//
// Exceptions of threads beside each other: none may leave a parallel region of OpenMP, so the first
// is kept and thrown behind it.
#pragma once

#include <exception>
#include <mutex>

namespace rowhalo {

class FirstFailure {
 public:
  /// Of any thread.
  template <class Work>
  void catching(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }
  /// Behind the region.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace rowhalo

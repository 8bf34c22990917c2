// SPDX-License-Identifier: BSD-3-Clause
//
// HaloVector: one rank's part of x, [owned entries | ghosts], contiguous, in the memory of the
// transport that made it. All vectors of a rank lie in one allocation, a multiple of 2 MiB, so that
// a transport can hand a single handle of it to the neighbours and vectors sit on huge pages.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "partition/base/types.hpp"

namespace rowhalo {

/// View; valid until the transport that made it is closed.
struct HaloVector {
  std::byte* data = nullptr;
  LocalIndex owned = 0, ghosts = 0;
  std::size_t element_bytes = 8;
  int slot = 0;  ///< 0, 1, ... among the vectors of its transport

  std::byte* ghost_data() const { return data + static_cast<std::size_t>(owned) * element_bytes; }
};

/// Host memory, 2 MiB aligned, zeroed.
class HostAllocation {
 public:
  static constexpr std::size_t alignment = std::size_t{2} << 20;

  HostAllocation() = default;
  /// Throws std::bad_alloc.
  explicit HostAllocation(std::size_t bytes);

  std::byte* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t bytes_ = 0;
};

}  // namespace rowhalo

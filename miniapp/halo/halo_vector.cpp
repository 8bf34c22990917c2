// SPDX-License-Identifier: BSD-3-Clause
//
// Host memory for vectors (halo_vector.hpp).
#include "miniapp/halo/halo_vector.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace rowhalo {

HostAllocation::HostAllocation(std::size_t bytes)
    : bytes_((std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment) {
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, bytes_)));
  if (data_ == nullptr) throw std::bad_alloc();
  // Only a hint: x is read at random, and fewer pages mean fewer misses of the TLB.
  madvise(data_.get(), bytes_, MADV_HUGEPAGE);
  std::memset(data_.get(), 0, bytes_);
}

}  // namespace rowhalo

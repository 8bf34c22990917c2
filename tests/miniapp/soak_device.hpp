// SPDX-License-Identifier: BSD-3-Clause
//
// What happens on the GPU around every product of a soak: x changes, y is held against what it must
// be, the count of products goes up. The count lies in device memory, so that a graph that is
// replayed goes on where it stopped.
#pragma once

#include <cstdint>

#include "kernels/spmv_kernel.hpp"
#include "partition/base/hash.hpp"

namespace rowhalo::test {

/// What x is multiplied by in product `k`: exact in every precision, so that y is, too.
constexpr double soak_factor(std::uint64_t k) {
  constexpr double factors[] = {1, -1, 2, 0.5};
  return factors[mix64(k) % 4];
}

/// x = soak_factor(*product) * x0.
void renew_x(const std::uint64_t* product, std::int64_t count, const double* x0, double* x,
             Stream stream);
/// Adds to `*wrong` the entries of y that are not soak_factor(*product) * y0, then 1 to `*product`.
void check_y(std::uint64_t* product, std::int64_t count, const double* y0, const double* y,
             std::uint64_t* wrong, Stream stream);

}  // namespace rowhalo::test

// SPDX-License-Identifier: BSD-3-Clause
//
// Looks at the values of a local matrix, and stores them as fp32 where that is exact
// (exact_values.hpp). -0, Inf and numbers below the normal range of fp32 are told by their bits; a
// NaN that conversion would change is not exact.
#include "kernels/gpu/values/exact_values.hpp"

#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/values/distinct_values.hpp"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

/// All threads stop soon after one has found a value that is not exact.
__global__ void find_inexact(const double* values, Offset count, int* inexact) {
  const std::int64_t stride = thread_count();
  const volatile int* found = inexact;
  for (std::int64_t e = thread_index(); e < count && *found == 0; e += stride) {
    const double value = values[e], single = __double2float_rn(value);
    if (__double_as_longlong(single) != __double_as_longlong(value)) *inexact = 1;
  }
}

__global__ void store_singles(const double* values, Offset count, float* singles) {
  const std::int64_t stride = thread_count();
  for (std::int64_t e = thread_index(); e < count; e += stride) {
    singles[e] = __double2float_rn(values[e]);
  }
}

/// Empty where some value is not exact in fp32, or memory lacks.
DeviceMemory singles_of(const CsrView& matrix) {
  const unsigned blocks = filling_blocks(matrix.nonzeros, conversion_threads);
  const auto* values = static_cast<const double*>(matrix.values);
  const DeviceArray<int> inexact(1);
  set_bytes_async(inexact.data(), 0, sizeof(int), Stream{});
  find_inexact<<<blocks, conversion_threads>>>(values, matrix.nonzeros, inexact.data());
  ROWHALO_CUDA(cudaGetLastError());
  if (inexact.to_host()[0] != 0) return {};
  try {
    DeviceMemory singles(static_cast<std::size_t>(matrix.nonzeros) * sizeof(float));
    store_singles<<<blocks, conversion_threads>>>(values, matrix.nonzeros,
                                                  reinterpret_cast<float*>(singles.data()));
    ROWHALO_CUDA(cudaGetLastError());
    synchronize_device();
    return singles;
  } catch (const OutOfDeviceMemory&) {
    return {};
  }
}

}  // namespace

ExactValues exact_values(const CsrView& matrix, const Spec& options, std::int64_t least_saved) {
  ExactValues exact;
  if (!wants_value_codes(matrix, options) || matrix.nonzeros == 0) return exact;
  if (options.has("codes")) least_saved = 0;
  const auto pays = [&](int saved) { return matrix.nonzeros * saved >= least_saved; };
  const auto value_bytes = static_cast<int>(matrix_value_bytes(matrix.precision));
  if (!pays(value_bytes)) return exact;
  const double start = host_seconds();
  exact.distinct = distinct_values(matrix);
  if (exact.distinct.size() > 1 && !pays(value_bytes - 1)) exact.distinct.clear();
  if (exact.distinct.empty() && matrix.precision == Precision::fp64 && pays(4)) {
    exact.singles = singles_of(matrix);
  }
  exact.seconds = host_seconds() - start;
  return exact;
}

}  // namespace rowhalo

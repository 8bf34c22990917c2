// SPDX-License-Identifier: BSD-3-Clause
//
// Read, copy and triad (McCalpin: STREAM) on the device. Threads stride over the arrays with
// 16-byte accesses, four under way at a time.
#include <algorithm>

#include "kernels/gpu/device/bandwidth.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

constexpr int reading_threads = 512;
constexpr int blocks_per_multiprocessor = 4;
constexpr int repeats = 11;
constexpr std::int64_t array_bytes = std::int64_t{1} << 30;
constexpr int launches = 4;  // a timing: a launch's ramp up and down is not bandwidth

/// `sink` is written only if the sum is a number that it cannot be, so that the loads stay.
__global__ void read_array(const double2* a, std::int64_t size, double* sink) {
  double sum = 0;
#pragma unroll 4
  for (std::int64_t k = thread_index(); k < size; k += thread_count()) {
    const double2 value = __ldcs(a + k);
    sum += value.x + value.y;
  }
  if (sum == -1) *sink = sum;
}

/// Again and again; past L1, whose contents a product replaces.
__global__ void read_repeatedly(const double2* a, std::int64_t size, int rounds, double* sink) {
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 4
    for (std::int64_t k = thread_index(); k < size; k += thread_count()) {
      const double2 value = __ldcg(a + k);
      sum += value.x + value.y;
    }
  }
  if (sum == -1) *sink = sum;
}

__global__ void do_nothing() {}

__global__ void copy_array(const double2* a, double2* b, std::int64_t size) {
#pragma unroll 4
  for (std::int64_t k = thread_index(); k < size; k += thread_count()) __stcs(b + k, __ldcs(a + k));
}

__global__ void triad_array(const double2* a, const double2* b, double s, double2* c,
                            std::int64_t size) {
#pragma unroll 4
  for (std::int64_t k = thread_index(); k < size; k += thread_count()) {
    const double2 p = __ldcs(a + k), q = __ldcs(b + k);
    __stcs(c + k, make_double2(p.x + s * q.x, p.y + s * q.y));
  }
}

/// Of `kernel` on the whole device.
template <class... Parameters>
double median_seconds(void (*kernel)(Parameters...),
                      const std::type_identity_t<Parameters>&... arguments) {
  const unsigned blocks = blocks_per_multiprocessor *
                          static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  const StreamHandle stream;
  const EventHandle begin, end;
  synchronize_device();  // what fills the arrays
  std::vector<double> seconds;
  for (int k = 0; k <= repeats; ++k) {
    begin.record(stream.stream());
    for (int launch = 0; launch < launches; ++launch) {
      kernel<<<blocks, reading_threads, 0, native(stream.stream())>>>(arguments...);
    }
    ROWHALO_CUDA(cudaGetLastError());
    end.record(stream.stream());
    end.synchronize();
    if (k > 0) seconds.push_back(seconds_between(begin, end) / launches);  // the first warms up
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[repeats / 2];
}

constexpr int some_number = 0x3f;  ///< each byte of the arrays

}  // namespace

DeviceBandwidth measure_bandwidth() {
  const std::int64_t bytes = std::min(array_bytes, free_device_bytes() / 4);
  const auto size = bytes / static_cast<std::int64_t>(sizeof(double2));
  const auto a = filled_array<double2>(size, some_number);
  const auto b = filled_array<double2>(size, some_number);
  const auto c = filled_array<double2>(size, some_number);
  const DeviceArray<double> sink(1);
  const double read = median_seconds(read_array, a.data(), size, sink.data());
  const double copy = median_seconds(copy_array, a.data(), b.data(), size);
  const double triad = median_seconds(triad_array, a.data(), b.data(), 0.5, c.data(), size);
  const double gigabytes = static_cast<double>(a.bytes()) * 1e-9;
  return {gigabytes / read, 2 * gigabytes / copy, 3 * gigabytes / triad};
}

double measure_reading(std::int64_t bytes) {
  constexpr std::int64_t timed_bytes = std::int64_t{1} << 30;
  const auto size = bytes / static_cast<std::int64_t>(sizeof(double2));
  const auto rounds = static_cast<int>(std::max<std::int64_t>(2, timed_bytes / bytes));
  const auto a = filled_array<double2>(size, some_number);
  const DeviceArray<double> sink(1);
  return median_seconds(read_repeatedly, a.data(), size, rounds, sink.data()) / rounds;
}

void launch_empty_kernel(Stream stream) {
  do_nothing<<<1, 1, 0, native(stream)>>>();
  ROWHALO_CUDA(cudaGetLastError());
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Reading arrays (reading.hpp).
#include "miniapp/bench/reading.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

#include "kernels/gpu/device/bandwidth.hpp"
#include "miniapp/bench/batches.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t kibibyte = 1024, mebibyte = 1024 * kibibyte;
constexpr std::int64_t host_sizes[] = {64 * kibibyte, 512 * kibibyte, 2 * mebibyte,
                                       8 * mebibyte,  32 * mebibyte,  128 * mebibyte};
constexpr std::int64_t gpu_sizes[] = {2 * mebibyte,  8 * mebibyte,   24 * mebibyte,
                                      64 * mebibyte, 256 * mebibyte, 1024 * mebibyte};
constexpr int repeats = 5;

/// Sums of integers, which compilers vectorise in any order, unlike those of reals; in four
/// streams, so that prefetchers have what products give them.
class HostReading {
 public:
  explicit HostReading(std::int64_t bytes)
      : size_(bytes / static_cast<std::int64_t>(sizeof(std::uint64_t))),
        numbers_(std::make_unique_for_overwrite<std::uint64_t[]>(static_cast<std::size_t>(size_))) {
    const std::int64_t quarter = size_ / 4;
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < quarter; ++k) {  // pages lie with the thread that reads them
      for (int stream = 0; stream < 4; ++stream) {
        numbers_[k + stream * quarter] = static_cast<std::uint64_t>(k);
      }
    }
  }

  /// Of one reading.
  double seconds() {
    constexpr std::int64_t timed_bytes = 128 * mebibyte;
    const auto bytes = size_ * static_cast<std::int64_t>(sizeof(std::uint64_t));
    const std::int64_t rounds = std::max<std::int64_t>(1, timed_bytes / bytes);
    const auto start = std::chrono::steady_clock::now();
    sum_ = sum(rounds);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return elapsed.count() / static_cast<double>(rounds);
  }

 private:
  std::uint64_t sum(std::int64_t rounds) const {
    std::uint64_t sum = 0;
    const std::int64_t quarter = size_ / 4;
#pragma omp parallel reduction(+ : sum)
    for (std::int64_t round = 0; round < rounds; ++round) {
      const std::uint64_t* numbers = numbers_.get();
      asm volatile("" : "+r"(numbers) : : "memory");  // read again, whatever was read before
#pragma omp for schedule(static) nowait
      for (std::int64_t k = 0; k < quarter; ++k) {
        sum +=
            numbers[k] + numbers[k + quarter] + numbers[k + 2 * quarter] + numbers[k + 3 * quarter];
      }
    }
    return sum;
  }

  std::int64_t size_;
  std::unique_ptr<std::uint64_t[]> numbers_;
  volatile std::uint64_t sum_ = 0;  ///< so that the loads stay
};

/// Collective: `read` is called together, by all ranks or by rank 0.
template <class Read>
double slowest(const Comm& comm, bool takes_part, const Read& read) {
  std::vector<double> seconds;
  for (int k = 0; k <= repeats; ++k) {
    ROWHALO_MPI(MPI_Barrier(comm.handle));
    const double one = max_over_ranks(comm, takes_part ? read() : 0.0);
    if (k > 0) seconds.push_back(one);  // the first warms up
  }
  return median(std::move(seconds));
}

template <class Read>
ReadPoint measure(const Comm& comm, std::int64_t bytes, const Read& read) {
  return {bytes, slowest(comm, true, read), slowest(comm, comm.rank == 0, read)};
}

}  // namespace

std::vector<ReadPoint> measure_reading(const Comm& comm, Device device, Progress& progress) {
  progress.phase("measure: reading");
  std::vector<ReadPoint> points;
  if (device == Device::gpu) {
    for (const std::int64_t bytes : gpu_sizes) {
      points.push_back(measure(comm, bytes, [&] { return rowhalo::measure_reading(bytes); }));
      leave_if_requested(comm, progress);
    }
    return points;
  }
  for (const std::int64_t bytes : host_sizes) {
    HostReading reading(bytes);
    points.push_back(measure(comm, bytes, [&] { return reading.seconds(); }));
    leave_if_requested(comm, progress);
  }
  return points;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// A matrix on its way through the rooms, for tests: source, partition, plan, x and y0. The expected
// y is computed from the source's rows, before anything was renumbered or moved.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/sources.hpp"
#include "miniapp/check/validation.hpp"
#include "miniapp/spmv/operator.hpp"
#include "partition/base/hash.hpp"
#include "partition/base/numbers.hpp"
#include "partition/partitioners.hpp"
#include "tests/mpi.hpp"

namespace rowhalo::test {

/// Small matrices of every shape that a partition can meet: more ranks than rows, empty rows,
/// rectangular both ways, one dense row, no coupling at all.
inline const std::vector<std::string> matrices{
    "stencil5:9",
    "stencil27:5",
    "stencil7:nx=1,ny=1,nz=40",
    "stencil5:1",
    "dense:6",
    "dense:rows=1,columns=9",
    "dense:rows=9,columns=1",
    "random:rows=101,columns=67,row=5,seed=3",
    "random:rows=67,columns=101,row=5,seed=4",
    "random:rows=97,row=0.5,seed=5",
};

/// What this executable tests: GPUs in test_miniapp_gpu, shared when there are too few.
inline ComputeSite test_site() {
#ifdef ROWHALO_TEST_GPU
  return {Device::gpu, world().size > device_count()};
#else
  return {Device::cpu, false};
#endif
}

struct Problem {
  Comm comm = world();
  Progress progress;
  Device device = test_site().device;
  Precision precision;
  double alpha, beta;
  LocalMatrix matrix;
  HaloPlan plan;
  std::vector<double> x, y0;  ///< by number in the source
  std::uint64_t expected_hash = 0;
  std::uint64_t source_fingerprint = 0;

  static double x_entry(Precision precision, GlobalIndex column) {
    return rounded_to(vector_type(precision), uniform_value(1, static_cast<std::uint64_t>(column)));
  }
  static double y_entry(Precision precision, GlobalIndex row) {
    return rounded_to(vector_type(precision), uniform_value(2, static_cast<std::uint64_t>(row)));
  }

  Problem(const std::string& text, const char* partition, std::optional<std::uint64_t> seed,
          Precision precision, double alpha, double beta)
      : precision(precision), alpha(alpha), beta(beta) {
    DistributedCsr source = load_matrix(text, 0, comm, progress);
    source_fingerprint = fingerprint(comm, source);
    expected_hash = precision == Precision::fp64 ? hash_of<double>(source) : hash_of<float>(source);
    std::optional<Shuffle> shuffle;
    if (seed && source.info.rows == source.info.columns) {
      shuffle.emplace(*seed, source.info.rows);
      source = shuffled(comm, std::move(source), *shuffle, progress);
    }
    const Spec spec = Spec::parse(partition, "--partition");
    const std::vector<int> owners =
        find_partitioner(spec.name()).assign(source, comm.size, spec, comm, progress);
    matrix =
        make_local_matrix(comm, std::move(source), owners, shuffle ? &*shuffle : nullptr, progress);
    plan = make_halo_plan(comm, matrix, progress);
    x = x_of(matrix);
    for (const GlobalIndex row : matrix.source_rows) y0.push_back(y_entry(precision, row));
  }

  /// With its matrix in the memory of the device.
  OperatorParts parts(const LoadedMatrix& block) const {
    return {comm, matrix, block, plan, test_site()};
  }

  /// Of all local columns of `part`, as of this problem's matrix.
  std::vector<double> x_of(const LocalMatrix& part) const {
    std::vector<double> entries;
    for (const GlobalIndex column : part.source_columns) {
      entries.push_back(x_entry(precision, column));
    }
    return entries;
  }

 private:
  /// The definition of the bits, row by row of the source.
  template <class T>
  std::uint64_t hash_of(const DistributedCsr& source) const {
    std::uint64_t hash = 0;
    for (GlobalIndex row = 0; row < source.local_rows(); ++row) {
      T sum = 0;
      for (Offset k = source.offsets[row]; k < source.offsets[row + 1]; ++k) {
        sum = std::fma(static_cast<T>(source.values[k]),
                       static_cast<T>(x_entry(precision, source.columns[k])), sum);
      }
      const GlobalIndex number = source.first_row + row;
      const T a = static_cast<T>(alpha), b = static_cast<T>(beta);
      const T product = b * static_cast<T>(y_entry(precision, number));
      hash += hash_of_entry(number, b == 0 ? a * sum : std::fma(a, sum, product));
    }
    return wrapping_sum_over_ranks(comm, hash);
  }
};

/// Values as stored in `precision`.
inline std::vector<std::byte> stored(const std::vector<double>& values, Precision precision) {
  std::vector<std::byte> bytes(values.size() * vector_value_bytes(precision));
  store(vector_type(precision), values.data(), std::ssize(values), bytes.data());
  return bytes;
}

}  // namespace rowhalo::test

// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of an application on every rank, and their product by definition.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/spmv/operator.hpp"
#include "partition/base/hash.hpp"
#include "tests/mpi.hpp"

namespace rowhalo::test {

#ifdef ROWHALO_TEST_GPU
constexpr Device device = Device::gpu;
#else
constexpr Device device = Device::cpu;
#endif

/// Rows of an application: columns in any order, some of them twice; x is owned by other ranks than
/// the rows, and a rank or two have neither.
struct Application {
  std::vector<Offset> offsets{0};
  std::vector<GlobalIndex> columns;
  std::vector<double> values;
  LocalRows rows;
  GlobalIndex all_columns = 0;

  explicit Application(const Comm& comm, std::uint64_t seed = 1) {
    const auto rows_of = [](int rank) { return rank % 3 == 1 ? 0 : 20 + 7 * rank; };
    const auto columns_of = [&](int rank) { return rank % 4 == 2 ? 0 : 11 * (comm.size - rank); };
    GlobalIndex first_row = 0, first_column = 0;
    for (int rank = 0; rank < comm.size; ++rank) {
      if (rank < comm.rank) first_row += rows_of(rank);
      if (rank < comm.rank) first_column += columns_of(rank);
      all_columns += columns_of(rank);
    }
    for (GlobalIndex row = first_row; row < first_row + rows_of(comm.rank); ++row) {
      for (std::uint64_t k = 0; k < mix64(seed, row) % 9; ++k) {
        const std::uint64_t place = mix64(mix64(seed, row), k);
        columns.push_back(static_cast<GlobalIndex>(place % all_columns));
        values.push_back(uniform_value(seed, place));
      }
      offsets.push_back(std::ssize(columns));
    }
    rows = {first_row, first_column, columns_of(comm.rank), offsets, columns, values};
  }

  /// Of vector k of several.
  static double x(GlobalIndex column, int k = 0) { return uniform_value(7 + k, column); }

  /// y = alpha A x + beta y of this rank, by the definition of the bits.
  std::vector<double> product(double alpha, double beta, double before, int k = 0) const {
    std::vector<double> y;
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      std::map<GlobalIndex, double> entries;
      for (Offset k = offsets[row]; k < offsets[row + 1]; ++k) {
        const auto [place, is_new] = entries.try_emplace(columns[k], values[k]);
        if (!is_new) place->second += values[k];
      }
      double sum = 0;
      for (const auto& [column, value] : entries) sum = std::fma(value, x(column, k), sum);
      y.push_back(beta == 0 ? alpha * sum : std::fma(alpha, sum, beta * before));
    }
    return y;
  }
};

inline void fill(const HaloVector& x, GlobalIndex first_column) {
  std::vector<double> entries;
  for (LocalIndex k = 0; k < x.owned; ++k) entries.push_back(Application::x(first_column + k));
  copy_between(device, x.data, entries.data(), entries.size() * sizeof(double));
}

/// y of two products of `a`, each on a vector of its own.
inline std::vector<double> product_of(Operator& a, const LocalRows& rows, double alpha, double beta,
                                      double before) {
  std::vector<double> y(rows.offsets.size() - 1, before);
  const VectorMemory memory(device, y.size() * sizeof(double));
  for (int k = 0; k < 2; ++k) {
    const HaloVector x = a.make_vector();
    fill(x, rows.first_column);
    copy_between(device, memory.data(), std::vector(y.size(), before).data(),
                 y.size() * sizeof(double));
    a.apply(alpha, x, beta, memory.at<double>());
    if (device == Device::gpu) synchronize_device();
  }
  copy_between(device, y.data(), memory.data(), y.size() * sizeof(double));
  return y;
}

/// Rows of Order::split are added up in two parts.
inline bool agrees(const Operator& a, const std::vector<double>& y,
                   const std::vector<double>& expected) {
  if (a.kernels().canonical) return y == expected;
  return std::ranges::equal(y, expected,
                            [](double b, double c) { return std::abs(b - c) < 1e-12; });
}

/// The message with which the operator is refused, on all ranks alike; empty: it is made.
inline std::string refusal_of(const LocalRows& rows, const Tuning& tuning = {.device = device}) {
  return agreed_refusal([&] { Operator(world(), rows, tuning).close(); });
}

}  // namespace rowhalo::test

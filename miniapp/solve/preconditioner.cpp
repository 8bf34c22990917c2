// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/solve/preconditioner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "partition/base/table.hpp"

namespace rowhalo {
namespace {

constexpr PreconditionerEntry entries[] = {
    {"none", "no preconditioner", [](int) { return 0; }},
    {"jacobi", "inverse of the diagonal", [](int) { return 1; }},
    {"block-jacobi", "inverses of the dense blocks on the diagonal, as large as --block says",
     [](int block) { return block; }},
};

/// Inverts the `size` x `size` matrix in place. False: it is singular.
bool invert(std::vector<double>& a, int size) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<double> inverse(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      if (std::fabs(a[row * n + column]) > std::fabs(a[pivot * n + column])) pivot = row;
    }
    if (!(std::fabs(a[pivot * n + column]) > 0)) return false;
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(a[pivot * n + j], a[column * n + j]);
      std::swap(inverse[pivot * n + j], inverse[column * n + j]);
    }
    const double divisor = a[column * n + column];
    for (std::size_t j = 0; j < n; ++j) {
      a[column * n + j] /= divisor;
      inverse[column * n + j] /= divisor;
    }
    for (std::size_t row = 0; row < n; ++row) {
      const double factor = a[row * n + column];
      if (row == column || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        a[row * n + j] -= factor * a[column * n + j];
        inverse[row * n + j] -= factor * inverse[column * n + j];
      }
    }
  }
  a = std::move(inverse);
  return std::all_of(a.begin(), a.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

BlockJacobi::BlockJacobi(Device device, const std::vector<double>& inverses, int size)
    : memory_(device, inverses.size() * sizeof(double)), size_(size) {
  copy_between(device, memory_.data(), inverses.data(), inverses.size() * sizeof(double));
}

std::span<const PreconditionerEntry> preconditioners() {
  return entries;
}

const PreconditionerEntry& find_preconditioner(std::string_view name, std::string_view option) {
  return find_entry(entries, name, option, "preconditioner");
}

std::vector<double> inverted_blocks(const LocalMatrix& matrix, int size, LocalIndex& singular) {
  const auto b = static_cast<std::size_t>(size);
  std::vector<double> inverses(static_cast<std::size_t>(matrix.owned_rows) * b);
  singular = -1;
  std::vector<double> block(b * b);
  for (LocalIndex first = 0; first < matrix.owned_rows; first += size) {
    const LocalIndex rows = std::min(size, matrix.owned_rows - first);
    std::fill(block.begin(), block.end(), 0.0);
    for (LocalIndex r = rows; r < size; ++r) block[r * b + r] = 1;
    for (LocalIndex r = 0; r < rows; ++r) {
      for (Offset e = matrix.offsets[first + r]; e < matrix.offsets[first + r + 1]; ++e) {
        const LocalIndex c = matrix.indices[e] - first;
        if (c >= 0 && c < rows) block[r * b + c] += matrix.values[e];
      }
    }
    if (!invert(block, size) && singular < 0) singular = first;
    for (LocalIndex r = 0; r < rows; ++r) {
      std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(r * b), b,
                  inverses.begin() + static_cast<std::ptrdiff_t>((first + r) * b));
    }
  }
  return inverses;
}

std::optional<BlockJacobi> make_preconditioner(const Comm& comm, const LocalMatrix& matrix,
                                               const PreconditionerEntry& entry, Device device,
                                               std::string_view option) {
  const int size = entry.block_rows(matrix.info.block);
  if (size == 0) return std::nullopt;
  LocalIndex singular = -1;
  const std::vector<double> inverses = inverted_blocks(matrix, size, singular);
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const std::int64_t worst =
      -max_over_ranks(comm, singular < 0 ? -none : -std::int64_t{matrix.source_rows[singular]});
  if (worst != none) {
    throw AgreedError(
        ExitCode::run_time,
        size == 1 ? fmt::format("{} {}{}: zero diagonal in row {} (counted from 0); use {} none",
                                option, entry.name,
                                entry.name == std::string_view("jacobi") ? " (the default)" : "",
                                worst, option)
                  : fmt::format("{} {}: the block of {} rows from row {} on (counted from 0) is "
                                "singular; use jacobi or none",
                                option, entry.name, size, worst));
  }
  return std::optional<BlockJacobi>(std::in_place, device, inverses, size);
}

}  // namespace rowhalo

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
  std::vector<double> both(2 * n * n);  // a, and beside it what becomes the inverse
  const auto row = [&](std::size_t i) { return std::span(both).subspan(2 * n * i, 2 * n); };
  for (std::size_t i = 0; i < n; ++i) {
    std::ranges::copy(std::span(a).subspan(n * i, n), row(i).begin());
    row(i)[n + i] = 1;
  }
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t i = column + 1; i < n; ++i) {
      if (std::fabs(row(i)[column]) > std::fabs(row(pivot)[column])) pivot = i;
    }
    if (!(std::fabs(row(pivot)[column]) > 0)) return false;
    if (pivot != column) std::ranges::swap_ranges(row(pivot), row(column));
    const double divisor = row(column)[column];
    for (double& entry : row(column)) entry /= divisor;
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = row(i)[column];
      if (i == column || factor == 0) continue;
      for (std::size_t j = 0; j < 2 * n; ++j) row(i)[j] -= factor * row(column)[j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::ranges::copy(row(i).subspan(n), a.begin() + static_cast<std::ptrdiff_t>(n * i));
  }
  return std::ranges::all_of(a, [](double value) { return std::isfinite(value); });
}

}  // namespace

BlockJacobi::BlockJacobi(Device device, const std::vector<double>& inverses, int size)
    : device_(device), memory_(device, inverses.size() * sizeof(double)), size_(size) {
  replace(inverses);
}

void BlockJacobi::replace(const std::vector<double>& inverses) {
  copy_between(device_, memory_.data(), inverses.data(), inverses.size() * sizeof(double));
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

namespace {

/// Collective. Throws AgreedError where a block is singular.
std::vector<double> checked_inverses(const Comm& comm, const LocalMatrix& matrix, int size,
                                     const char* name, std::string_view option) {
  LocalIndex singular = -1;
  std::vector<double> inverses = inverted_blocks(matrix, size, singular);
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const std::int64_t worst =
      -max_over_ranks(comm, singular < 0 ? -none : -std::int64_t{matrix.source_rows[singular]});
  if (worst == none) return inverses;
  throw AgreedError(
      ExitCode::run_time,
      size == 1
          ? fmt::format("{} {}{}: zero diagonal in row {} (counted from 0); use {} none", option,
                        name, name == std::string_view("jacobi") ? " (the default)" : "", worst,
                        option)
          : fmt::format("{} {}: the block of {} rows from row {} on (counted from 0) is singular; "
                        "use jacobi or none",
                        option, name, size, worst));
}

}  // namespace

std::optional<BlockJacobi> make_preconditioner(const Comm& comm, const LocalMatrix& matrix,
                                               const PreconditionerEntry& entry, Device device,
                                               std::string_view option) {
  const int size = entry.block_rows(matrix.info.block);
  if (size == 0) return std::nullopt;
  return std::optional<BlockJacobi>(std::in_place, device,
                                    checked_inverses(comm, matrix, size, entry.name, option), size);
}

void refill_preconditioner(const Comm& comm, const LocalMatrix& matrix, BlockJacobi& preconditioner,
                           std::string_view option) {
  const int size = preconditioner.block_size();
  const char* name = size == 1 ? "jacobi" : "block-jacobi";
  preconditioner.replace(checked_inverses(comm, matrix, size, name, option));
}

}  // namespace rowhalo

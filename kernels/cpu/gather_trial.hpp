// SPDX-License-Identifier: BSD-3-Clause
//
// How sell and asell read x by index: entry by entry, or by the gather instruction of AVX-512. Both
// have the same bits; which is faster depends on the processor, on how far apart the columns of a
// step are, and on the steps per slice, after which results are stored. So each is timed on pieces
// of the matrix when it is converted. Time with the instruction over time with loads (Zen 4, fp64,
// sell, one core): random 0.73, rmat 0.73, lp 0.75, web 0.78, but a band 1.2, empty, whose x does
// not stay in the cache, 1.25, and road, with three steps per slice, 2.2.
#pragma once

#include <numeric>

#include "kernels/cpu/cpu_format.hpp"

namespace rowhalo {

/// Slices [begin, end).
struct Piece {
  std::int64_t begin, end;
};

/// 64 pieces of at most about 32768 slots, evenly spaced. first_slot(slice) ascends.
template <class FirstSlot>
std::vector<Piece> sample_of_slices(std::int64_t slices, FirstSlot first_slot) {
  constexpr std::int64_t pieces = 64, most_slots = 1 << 15;
  const std::int64_t slots = first_slot(slices);
  const auto slice_at = [&](std::int64_t slot) {
    return first_that(0, slices, [&](std::int64_t slice) { return first_slot(slice) >= slot; });
  };
  std::vector<Piece> sample;
  for (std::int64_t k = 0; k < pieces; ++k) {
    const std::int64_t begin = slots * k / pieces, end = slots * (k + 1) / pieces;
    sample.push_back({slice_at(begin), slice_at(std::min(end, begin + most_slots))});
  }
  return sample;
}

/// Whether `other` takes at most 95 % of the time of `run` on the pieces. Both multiply each piece,
/// long after it was last read, so that matrix and x come from where they do in a product.
template <class Run, class Arguments>
bool is_faster(Run other, Run run, const Arguments& arguments, const std::vector<Piece>& pieces) {
  constexpr int rounds = 3;
  constexpr double worth = 0.95;
  const std::array<Run, 2> ways{other, run};
  const std::vector<double> none(pieces.size(), std::numeric_limits<double>::infinity());
  std::array<std::vector<double>, 2> shortest{none, none};  // of each piece
  for (int turn = 0; turn < 2 * rounds; ++turn) {
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      const std::size_t way = (k + turn) % ways.size();
      const double start = omp_get_wtime();
      ways[way](arguments, pieces[k].begin, pieces[k].end);
      shortest[way][k] = std::min(shortest[way][k], omp_get_wtime() - start);
    }
  }
  const auto sum = [&](std::size_t way) {
    return std::accumulate(shortest[way].begin(), shortest[way].end(), 0.0);
  };
  return sum(0) < worth * sum(1);
}

/// One of two functions for products of `matrix`: by loads, or by the instruction, which is null
/// where this CPU lacks it or the lanes of a slice fill no register. The option gather=on|off, or
/// the faster. arguments_of(LocalProduct): what the functions take. Throws InputError where
/// gather=on asks for what is null.
template <class T, class Run, class ArgumentsOf>
Run faster_gather(const Spec& options, Run loads, Run instruction, const CsrView& matrix,
                  const std::vector<Piece>& pieces, ArgumentsOf arguments_of) {
  const std::string_view wanted = options.word("gather", {"auto", "on", "off"});
  if (wanted == "on" && instruction == nullptr) {
    options.fail(
        "gather=on needs a CPU with AVX-512, no smaller simd=, and in sell c=8 or more (fp32: 16); "
        "leave gather out");
  }
  if (wanted == "off" || instruction == nullptr) return loads;
  if (wanted == "on") return instruction;
  Buffer<T> x(matrix.columns), y(matrix.rows);
  std::fill_n(x.data(), matrix.columns, T{0});
  const LocalProduct product{.x = {x.data(), number_type_of<T>},
                             .y = {y.data(), number_type_of<T>}};
  return is_faster(instruction, loads, arguments_of(product), pieces) ? instruction : loads;
}

}  // namespace rowhalo

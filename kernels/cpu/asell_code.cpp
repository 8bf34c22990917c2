// SPDX-License-Identifier: BSD-3-Clause
//
// Choosing and writing the index codes of asell (asell_code.hpp).
#include "kernels/cpu/asell_code.hpp"

namespace rowhalo::cpu_asell {
namespace {

constexpr std::int64_t whole = strip_lanes;

/// The union of the offsets of the rows in their order, each as often as the row that has it most
/// often: calls step(offset, mask) until it returns false. The slice is whole. In a local matrix
/// that was cut from a matrix a row may go down, from the ghosts of a neighbour with lower rows to
/// its own columns, as the rows beside it do: offsets ascend among rows that have gone down equally
/// often.
template <class Step>
void merge_offsets(const SliceRows& slice, const Step& step) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t descent = std::int64_t{1} << 33;  // leaves the 32 bits of an offset alone
  std::array<LocalIndex, strip_lanes> next{}, anchors;
  std::array<std::int64_t, strip_lanes> descents{}, heads;
  const auto head = [&](LocalIndex l) {
    const LocalIndex k = next[l];
    if (k == slice.lengths[l]) return none;
    if (k > 0 && slice.columns[l][k] < slice.columns[l][k - 1]) descents[l] += descent;
    return descents[l] + slice.columns[l][k] - anchors[l];
  };
  for (LocalIndex l = 0; l < strip_lanes; ++l) {
    anchors[l] = anchor_of(slice.rows[l], slice.block);
    heads[l] = head(l);
  }
  while (true) {
    std::int64_t least = none;
    for (LocalIndex l = 0; l < strip_lanes; ++l) least = std::min(least, heads[l]);
    if (least == none) return;
    StripMask mask = 0;
    for (LocalIndex l = 0; l < strip_lanes; ++l) {
      if (heads[l] != least) continue;
      mask |= StripMask{1} << l;
      ++next[l];
      heads[l] = head(l);
    }
    if (!step(static_cast<LocalIndex>(least), mask)) return;
  }
}

/// Distance from a column to the next one of the row, past the last column if that is lower.
std::int64_t distance(const SliceRows& slice, LocalIndex from, LocalIndex to) {
  const std::int64_t ahead = std::int64_t{to} - from;
  return ahead >= 0 ? ahead : ahead + slice.all_columns;
}

/// Steps of an escape come before the entry: what is left of the delta is below `escape`.
/// Calls step() for every escape and entry(delta) for every entry of a lane.
template <class Delta, class Entry, class Step>
void walk_deltas(const SliceRows& slice, LocalIndex lane, LocalIndex base, const Entry& entry,
                 const Step& step) {
  LocalIndex column = column_before(slice.rows[lane], base);
  for (LocalIndex k = 0; k < slice.lengths[lane]; ++k) {
    std::int64_t delta = distance(slice, column, slice.columns[lane][k]);
    for (; delta >= escape<Delta>; delta -= escape<Delta>) step();
    entry(static_cast<Delta>(delta));
    column = slice.columns[lane][k];
  }
}

template <class Delta>
std::int64_t delta_steps(const SliceRows& slice, LocalIndex base) {
  std::int64_t longest = 0;
  for (LocalIndex l = 0; l < slice.lanes; ++l) {
    LocalIndex column = column_before(slice.rows[l], base);
    std::int64_t steps = slice.lengths[l];
    for (LocalIndex k = 0; k < slice.lengths[l]; ++k) {
      steps += distance(slice, column, slice.columns[l][k]) / escape<Delta>;
      column = slice.columns[l][k];
    }
    longest = std::max(longest, steps);
  }
  return longest;
}

template <class Delta>
void write_deltas(const SliceRows& slice, const SliceCode& code, std::byte* indices) {
  auto* deltas = reinterpret_cast<Delta*>(indices);
  std::fill_n(deltas, whole * code.steps, static_cast<Delta>(escape<Delta>));
  for (LocalIndex l = 0; l < slice.lanes; ++l) {
    Offset slot = l;
    walk_deltas<Delta>(
        slice, l, code.base_or_full,
        [&](Delta delta) {
          deltas[slot] = delta;
          slot += strip_lanes;
        },
        [&] { slot += strip_lanes; });
  }
}

void write_offsets(const SliceRows& slice, std::byte* indices) {
  auto* steps = reinterpret_cast<OffsetStep*>(indices);
  merge_offsets(slice, [&](LocalIndex offset, StripMask mask) {
    *steps++ = {offset, mask};
    return true;
  });
}

void write_columns(const SliceRows& slice, const SliceCode& code, std::byte* indices) {
  auto* columns = reinterpret_cast<LocalIndex*>(indices);
  std::fill_n(columns, std::int64_t{code.steps} * slice.lanes, padding);
  for (LocalIndex l = 0; l < slice.lanes; ++l) {
    for (LocalIndex k = 0; k < slice.lengths[l]; ++k) {
      columns[Offset{k} * slice.lanes + l] = slice.columns[l][k];
    }
  }
}

}  // namespace

std::int64_t index_bytes(const SliceCode& code, LocalIndex lanes) {
  constexpr std::int64_t of_step[index_codes] = {sizeof(OffsetStep), whole, 2 * whole, 4 * whole};
  if (lanes < strip_lanes) return std::int64_t{4} * lanes * code.steps;
  return of_step[static_cast<int>(code.code)] * code.steps;
}

SliceCode choose_code(const SliceRows& slice, std::int64_t value_bytes) {
  const auto lengths_end = slice.lengths.begin() + slice.lanes;
  const LocalIndex longest = *std::max_element(slice.lengths.begin(), lengths_end);
  SliceCode best{IndexCode::columns, longest,
                 *std::min_element(slice.lengths.begin(), lengths_end)};
  if (slice.lanes < strip_lanes || best.steps == 0) return best;
  std::int64_t base = std::numeric_limits<LocalIndex>::max();
  for (LocalIndex l = 0; l < slice.lanes; ++l) {
    if (slice.lengths[l] == 0) continue;
    base = std::min(base, std::int64_t{slice.columns[l][0]} - slice.rows[l]);
  }
  const auto cost = [&](const SliceCode& code) {
    return index_bytes(code, slice.lanes) + value_bytes * whole * code.steps;
  };
  std::int64_t best_cost = cost(best);
  const auto consider = [&](IndexCode code, std::int64_t steps) {
    if (steps > std::numeric_limits<LocalIndex>::max()) return;
    const SliceCode candidate{code, static_cast<LocalIndex>(steps), static_cast<LocalIndex>(base)};
    if (cost(candidate) >= best_cost) return;
    best = candidate;
    best_cost = cost(candidate);
  };
  const std::int64_t limit = best_cost / (sizeof(OffsetStep) + value_bytes * whole);
  std::int64_t steps = 0;
  merge_offsets(slice, [&](LocalIndex, StripMask) { return ++steps <= limit; });
  consider(IndexCode::offsets, steps);
  // The others have no fewer steps than the longest row has entries.
  const SliceCode fewest{IndexCode::distances8, longest, 0};
  if (cost(fewest) >= best_cost) return best;
  consider(IndexCode::distances8, delta_steps<std::uint8_t>(slice, static_cast<LocalIndex>(base)));
  consider(IndexCode::distances16,
           delta_steps<std::uint16_t>(slice, static_cast<LocalIndex>(base)));
  return best;
}

void write_indices(const SliceRows& slice, const SliceCode& code, std::byte* indices) {
  switch (code.code) {
    case IndexCode::offsets:
      return write_offsets(slice, indices);
    case IndexCode::distances8:
      return write_deltas<std::uint8_t>(slice, code, indices);
    case IndexCode::distances16:
      return write_deltas<std::uint16_t>(slice, code, indices);
    case IndexCode::columns:
      return write_columns(slice, code, indices);
  }
}

}  // namespace rowhalo::cpu_asell

// SPDX-License-Identifier: BSD-3-Clause
//
// The steps and their lists (steps.hpp).
#include "miniapp/spmv/steps.hpp"

#include <algorithm>
#include <stdexcept>

namespace rowhalo {

namespace {

constexpr bool travels = true, of_sums = true, of_foreign = true, lane = true, beside = true;

constexpr StepEntry step_table[] = {
    {Step::take_entries, "take entries", Phase::pack, !travels, !of_sums, of_foreign, !lane},
    {Step::begin_halo, "begin halo", Phase::pack, travels, !of_sums, !of_foreign, !lane},
    {Step::finish_halo, "finish halo", Phase::exchange, travels, !of_sums, !of_foreign, !lane},
    {Step::sums_for_others, "sums for others", Phase::pack, !travels, of_sums, !of_foreign, !lane},
    {Step::begin_sums, "begin sums", Phase::pack, travels, of_sums, !of_foreign, !lane},
    {Step::finish_sums, "finish sums", Phase::exchange, travels, of_sums, !of_foreign, !lane},
    {Step::add_sums, "add sums", Phase::boundary, !travels, of_sums, !of_foreign, !lane},
    {Step::interior_rows, "interior rows", Phase::interior, !travels, !of_sums, !of_foreign, !lane},
    {Step::boundary_rows, "boundary rows", Phase::boundary, !travels, !of_sums, !of_foreign, !lane},
    {Step::all_rows, "all rows", Phase::interior, !travels, !of_sums, !of_foreign, !lane},
    {Step::owned_columns, "owned columns", Phase::interior, !travels, !of_sums, !of_foreign, !lane},
    {Step::ghost_columns, "ghost columns", Phase::boundary, !travels, !of_sums, !of_foreign, !lane},
    {Step::fork, "fork", Phase::interior, !travels, !of_sums, !of_foreign, lane},
    {Step::join, "join", Phase::interior, !travels, !of_sums, !of_foreign, lane},
};
static_assert(std::size(step_table) == step_count &&
              std::ranges::is_sorted(step_table, {}, &StepEntry::step));

// Entries of x travel while sums are computed, sums while rows are multiplied.

/// finish_halo comes after the interior rows, because it may hold up the host.
constexpr PlacedStep overlap[] = {{Step::take_entries},
                                  {Step::begin_halo},
                                  {Step::sums_for_others},
                                  {Step::begin_sums},
                                  {Step::fork},
                                  {Step::interior_rows},
                                  {Step::finish_halo, beside},
                                  {Step::boundary_rows, beside},
                                  {Step::join},
                                  {Step::finish_sums},
                                  {Step::add_sums}};

constexpr PlacedStep split[] = {
    {Step::take_entries},  {Step::begin_halo},    {Step::sums_for_others},
    {Step::begin_sums},    {Step::owned_columns}, {Step::finish_halo},
    {Step::ghost_columns}, {Step::finish_sums},   {Step::add_sums}};

constexpr PlacedStep blocking[] = {
    {Step::take_entries}, {Step::begin_halo}, {Step::sums_for_others}, {Step::begin_sums},
    {Step::finish_halo},  {Step::all_rows},   {Step::finish_sums},     {Step::add_sums}};
/// The kernel of the sums is the first to ask for multiprocessors: with the exchange before it
/// rmat:22 took 3 % longer on 4 H100s.
constexpr PlacedStep blocking_beside[] = {{Step::take_entries},
                                          {Step::fork},
                                          {Step::sums_for_others, beside},
                                          {Step::begin_halo},
                                          {Step::begin_sums, beside},
                                          {Step::finish_halo},
                                          {Step::all_rows},
                                          {Step::join},
                                          {Step::finish_sums},
                                          {Step::add_sums}};

}  // namespace

const StepEntry& entry_of(Step step) {
  return step_table[static_cast<int>(step)];
}

const char* name_of(Phase phase) {
  constexpr const char* names[] = {"pack", "interior", "exchange", "boundary"};
  return names[static_cast<int>(phase)];
}

std::span<const PlacedStep> steps_of(Order order, bool side) {
  switch (order) {
    case Order::overlap:
      return overlap;
    case Order::split:
      return split;
    case Order::blocking:
      return side ? std::span<const PlacedStep>(blocking_beside) : blocking;
  }
  throw std::logic_error("an order has no steps");
}

bool hides_exchange(std::span<const PlacedStep> steps) {
  const auto begin = std::ranges::find(steps, Step::begin_halo, &PlacedStep::step);
  const auto end = std::ranges::find(steps, Step::finish_halo, &PlacedStep::step);
  return std::any_of(begin, end, [](const PlacedStep& placed) {
    const StepEntry& entry = entry_of(placed.step);
    return entry.phase == Phase::interior && !entry.lane;
  });
}

std::vector<std::string> names_of(std::span<const PlacedStep> steps, bool sums, bool side,
                                  bool foreign) {
  std::vector<std::string> names;
  for (const PlacedStep& placed : steps) {
    const StepEntry& entry = entry_of(placed.step);
    if ((entry.of_sums && !sums) || (entry.lane && !side) || (entry.of_foreign && !foreign)) {
      continue;
    }
    names.emplace_back(std::string(entry.name) + (placed.beside && side ? " (beside)" : ""));
  }
  return names;
}

}  // namespace rowhalo

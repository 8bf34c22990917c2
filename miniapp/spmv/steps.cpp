// SPDX-License-Identifier: BSD-3-Clause
//
// The steps and their lists (steps.hpp).
#include "miniapp/spmv/steps.hpp"

#include <algorithm>
#include <stdexcept>

namespace rowhalo {

namespace {

constexpr bool beside = true;

constexpr StepEntry step_table[] = {
    {.step = Step::take_entries, .name = "take entries", .phase = Phase::pack, .of_foreign = true},
    {.step = Step::begin_halo, .name = "begin halo", .phase = Phase::pack, .travels = true},
    {.step = Step::finish_halo, .name = "finish halo", .phase = Phase::exchange, .travels = true},
    {.step = Step::sums_for_others,
     .name = "sums for others",
     .phase = Phase::pack,
     .of_sums = true},
    {.step = Step::begin_sums,
     .name = "begin sums",
     .phase = Phase::pack,
     .travels = true,
     .of_sums = true},
    {.step = Step::finish_sums,
     .name = "finish sums",
     .phase = Phase::exchange,
     .travels = true,
     .of_sums = true},
    {.step = Step::add_sums, .name = "add sums", .phase = Phase::boundary, .of_sums = true},
    {.step = Step::interior_rows, .name = "interior rows", .phase = Phase::interior},
    {.step = Step::boundary_rows, .name = "boundary rows", .phase = Phase::boundary},
    {.step = Step::all_rows, .name = "all rows", .phase = Phase::interior},
    {.step = Step::owned_columns, .name = "owned columns", .phase = Phase::interior},
    {.step = Step::ghost_columns, .name = "ghost columns", .phase = Phase::boundary},
    {.step = Step::convert_in, .name = "convert in", .phase = Phase::pack, .of_layout = true},
    {.step = Step::convert_out, .name = "convert out", .phase = Phase::boundary, .of_layout = true},
    {.step = Step::fork, .name = "fork", .phase = Phase::interior, .lane = true},
    {.step = Step::join, .name = "join", .phase = Phase::interior, .lane = true},
};
static_assert(std::size(step_table) == step_count &&
              std::ranges::is_sorted(step_table, {}, &StepEntry::step));

// Entries of x travel while sums are computed, sums while rows are multiplied.

/// finish_halo comes after the interior rows, because it may hold up the host.
constexpr PlacedStep overlap[] = {{Step::convert_in},
                                  {Step::take_entries},
                                  {Step::begin_halo},
                                  {Step::sums_for_others},
                                  {Step::begin_sums},
                                  {Step::fork},
                                  {Step::interior_rows},
                                  {Step::finish_halo, beside},
                                  {Step::boundary_rows, beside},
                                  {Step::join},
                                  {Step::finish_sums},
                                  {Step::add_sums},
                                  {Step::convert_out}};

constexpr PlacedStep split[] = {
    {Step::convert_in},  {Step::take_entries},  {Step::begin_halo},  {Step::sums_for_others},
    {Step::begin_sums},  {Step::owned_columns}, {Step::finish_halo}, {Step::ghost_columns},
    {Step::finish_sums}, {Step::add_sums},      {Step::convert_out}};

constexpr PlacedStep blocking[] = {
    {Step::convert_in}, {Step::take_entries}, {Step::begin_halo}, {Step::sums_for_others},
    {Step::begin_sums}, {Step::finish_halo},  {Step::all_rows},   {Step::finish_sums},
    {Step::add_sums},   {Step::convert_out}};
/// The kernel of the sums is the first to ask for multiprocessors: with the exchange before it
/// rmat:22 took 3 % longer on 4 H100s.
constexpr PlacedStep blocking_beside[] = {{Step::convert_in},  {Step::take_entries},
                                          {Step::fork},        {Step::sums_for_others, beside},
                                          {Step::begin_halo},  {Step::begin_sums, beside},
                                          {Step::finish_halo}, {Step::all_rows},
                                          {Step::join},        {Step::finish_sums},
                                          {Step::add_sums},    {Step::convert_out}};

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

std::vector<std::string> names_of(std::span<const PlacedStep> steps, const StepChoice& choice) {
  std::vector<std::string> names;
  for (const PlacedStep& placed : steps) {
    const StepEntry& entry = entry_of(placed.step);
    if ((entry.of_sums && !choice.sums) || (entry.lane && !choice.side) ||
        (entry.of_foreign && !choice.foreign) || (entry.of_layout && !choice.converts)) {
      continue;
    }
    names.emplace_back(std::string(entry.name) + (placed.beside && choice.side ? " (beside)" : ""));
  }
  return names;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// A product over all ranks as data: one list of steps per order. It is the only place where an
// order stands: the operator runs the list, and phases, profiler ranges, timelines, the product
// without its exchange and reports read it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rowhalo {

/// The order of a product over all ranks.
enum class Order {
  overlap,   ///< interior rows while entries of x travel, then boundary rows
  blocking,  ///< exchange, then all rows
  split      ///< owned columns of all rows while entries travel, then ghosts (local_kernels.hpp)
};

enum class Step : std::uint8_t {
  take_entries,     ///< of a caller's own x into the vector that is exchanged (taken_entries.hpp)
  begin_halo,       ///< pack entries of x and send them
  finish_halo,      ///< ghosts of x are there
  sums_for_others,  ///< parts of rows, from x (partition/partial_sums.hpp)
  begin_sums,
  finish_sums,
  add_sums,  ///< of others to y
  interior_rows,
  boundary_rows,
  all_rows,
  owned_columns,  ///< of all rows
  ghost_columns,  ///< added to the rows that have any
  convert_in,     ///< vectors of a caller in the other layout to those that are multiplied
  convert_out,    ///< and y back (layouts.hpp)
  fork,           ///< the stream beside waits for what the product's stream has to do so far
  join            ///< and the product's stream for the one beside
};
inline constexpr int step_count = static_cast<int>(Step::join) + 1;

/// The four times of a report that those of steps are added to.
enum class Phase : std::uint8_t { pack, interior, exchange, boundary };

struct StepEntry {
  Step step;
  const char* name;
  Phase phase;
  bool travels = false;     ///< leaves the rank; a product without its exchange leaves it out
  bool of_sums = false;     ///< only with partial sums
  bool of_foreign = false;  ///< only with a caller's own x
  bool of_layout = false;   ///< only with vectors in another layout than that of the product
  /// Only with a stream beside: one waits for the other, and nothing is computed.
  bool lane = false;
};

const StepEntry& entry_of(Step step);
const char* name_of(Phase phase);

/// A step, in the product's stream or in the one beside it (side_stream.hpp).
struct PlacedStep {
  Step step;
  bool beside = false;
};

/// The list of an order. `side`: there is a stream beside the product's.
std::span<const PlacedStep> steps_of(Order order, bool side);

/// Whether rows or columns are multiplied between the beginning and the end of the exchange.
bool hides_exchange(std::span<const PlacedStep> steps);

/// Which steps of a list a product has, beside those that all have.
struct StepChoice {
  bool sums = false, side = false, foreign = false;
  bool converts = false;  ///< layouts
};
/// What of a list is done, for reports.
std::vector<std::string> names_of(std::span<const PlacedStep> steps, const StepChoice& choice);

}  // namespace rowhalo

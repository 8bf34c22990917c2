// SPDX-License-Identifier: BSD-3-Clause
//
// The one list of schedules (schedule.hpp).
#include "miniapp/bench/baselines/schedule.hpp"

#include <algorithm>
#include <stdexcept>

namespace rowhalo {

namespace {

constexpr bool baseline = true;

constexpr ScheduleEntry table[] = {
    {"overlap",
     "begin the exchange, interior rows, finish it, boundary rows; on GPUs as blocking if few or "
     "all "
     "rows are interior, or the matrix is small",
     Schedule::overlap, !baseline},
    {"blocking", "begin and finish the exchange, then all rows in one kernel", Schedule::blocking,
     !baseline},
    {"petsc-like", "pack, the host waits, start, owned columns, finish, ghosts added",
     Schedule::petsc_like, baseline},
    {"hpcg-like", "pack and start, owned columns, the host waits, ghosts added, the host waits",
     Schedule::hpcg_like, baseline},
};

}  // namespace

std::span<const ScheduleEntry> schedules() {
  return table;
}

const ScheduleEntry& entry_of(Schedule schedule) {
  const auto found =
      std::find_if(std::begin(table), std::end(table),
                   [&](const ScheduleEntry& entry) { return entry.schedule == schedule; });
  if (found == std::end(table)) throw std::logic_error("a schedule is missing in the table");
  return *found;
}

Order order_of(Schedule schedule) {
  if (entry_of(schedule).baseline) throw std::logic_error("a baseline has an order of its own");
  return schedule == Schedule::blocking ? Order::blocking : Order::overlap;
}

Schedule schedule_of(Order order) {
  return order == Order::blocking ? Schedule::blocking : Schedule::overlap;
}

}  // namespace rowhalo

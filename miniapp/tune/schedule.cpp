// SPDX-License-Identifier: BSD-3-Clause
//
// The one list of schedules (schedule.hpp).
#include "miniapp/tune/schedule.hpp"

#include <algorithm>

namespace rowhalo {

namespace {

constexpr bool baseline = true;

constexpr ScheduleEntry table[] = {
    {"overlap",
     "begin the exchange, interior rows, finish it, boundary rows; on GPUs as blocking if few or "
     "all rows are interior, or the matrix is small; with --format auto as split (GPUs) "
     "or blocking if that is faster",
     Schedule::overlap, Order::overlap, !baseline},
    {"blocking", "begin and finish the exchange, then all rows in one kernel", Schedule::blocking,
     Order::blocking, !baseline},
    {"split",
     "begin the exchange, owned columns of all rows, finish it, ghosts added; for formats without "
     "the bits of csr",
     Schedule::split, Order::split, !baseline},
    {"petsc-like", "pack, the host waits, start, owned columns, finish, ghosts added",
     Schedule::petsc_like, Order::split, baseline},
    {"hpcg-like", "pack and start, owned columns, the host waits, ghosts added, the host waits",
     Schedule::hpcg_like, Order::split, baseline},
};
static_assert(std::ranges::is_sorted(table, {}, &ScheduleEntry::schedule));

}  // namespace

std::span<const ScheduleEntry> schedules() {
  return table;
}

const ScheduleEntry& entry_of(Schedule schedule) {
  return table[static_cast<int>(schedule)];
}

Order order_of(Schedule schedule) {
  return entry_of(schedule).order;
}

Schedule schedule_of(Order order) {
  const auto ours = [&](const ScheduleEntry& entry) {
    return entry.order == order && !entry.baseline;
  };
  return std::find_if(std::begin(table), std::end(table), ours)->schedule;
}

std::unique_ptr<const LoadedColumns> columns_for(Schedule schedule, const LocalMatrix& matrix,
                                                 Precision precision, Device device,
                                                 bool value_codes, NewValues new_values) {
  if (order_of(schedule) != Order::split) return nullptr;
  return std::make_unique<LoadedColumns>(matrix, precision, device, value_codes, new_values);
}

}  // namespace rowhalo

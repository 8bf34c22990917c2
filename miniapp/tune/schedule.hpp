// SPDX-License-Identifier: BSD-3-Clause
//
// The table of schedules: in which order a product exchanges and computes. --help and messages are
// made from it. Ours are those of the operator (miniapp/spmv), the others baselines of other
// libraries (miniapp/bench/baselines).
#pragma once

#include <memory>
#include <span>

#include "miniapp/spmv/loaded_matrix.hpp"
#include "miniapp/spmv/local_kernels.hpp"

namespace rowhalo {

enum class Schedule { overlap, blocking, split, petsc_like, hpcg_like };

struct ScheduleEntry {
  const char* name;
  const char* summary;  ///< one line
  Schedule schedule;
  Order order;
  bool baseline;  ///< another library's: the host stands in between, never from a graph
};

std::span<const ScheduleEntry> schedules();
const ScheduleEntry& entry_of(Schedule schedule);

/// The order in which kernels serve a schedule, and which of ours has it.
Order order_of(Schedule schedule);
Schedule schedule_of(Order order);

/// Local. Where `schedule` cuts by columns: `split` and the baselines; null for others.
std::unique_ptr<const LoadedColumns> columns_for(Schedule schedule, const LocalMatrix& matrix,
                                                 Precision precision, Device device,
                                                 bool value_codes = true,
                                                 NewValues new_values = NewValues::never);

}  // namespace rowhalo

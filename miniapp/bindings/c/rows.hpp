// SPDX-License-Identifier: BSD-3-Clause
//
// From rowhalo_csr (rowhalo.h) to LocalRows. Arrays that are 64-bit integers or doubles in host
// memory are used where they are; others are copied.
#pragma once

#include <vector>

#include "miniapp/bindings/c/rowhalo.h"
#include "partition/local_rows.hpp"

namespace rowhalo::c {

/// Rows, and the memory of what had to be copied.
struct TakenRows {
  LocalRows rows;
  std::vector<Offset> offsets;
  std::vector<GlobalIndex> columns;
  std::vector<double> values;
  std::int64_t converted_bytes = 0;  ///< of the caller's arrays that were copied
};

/// Collective. Of each rank's `csr`, which may be null by mistake. Throws AgreedError (usage) on
/// null arrays, other sizes of numbers, and ranges that are no ranges.
void take_rows(const Comm& comm, const rowhalo_csr* csr, TakenRows& taken);

/// Collective. Those of the transpose: this rank's are its owned columns. `taken` is changed.
void transpose_rows(const Comm& comm, TakenRows& taken);

}  // namespace rowhalo::c

// SPDX-License-Identifier: BSD-3-Clause
//
// Rows as files of other programs hold them (columns in any order, some more than once) brought
// into the order that DistributedCsr promises.
#pragma once

#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Local. Sorts every row by column and sums duplicates in the order in which they stand. Costs one
/// pass over the columns where everything is in order already.
void put_in_order(CsrRows& rows);

}  // namespace rowhalo

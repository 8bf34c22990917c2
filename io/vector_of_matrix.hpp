// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors that are stored as matrices: of one column or one row, sparse or not, or one column of
// several.
#pragma once

#include <string>
#include <vector>

#include "io/sources.hpp"

namespace rowhalo {

/// Local. Throws InputError, beginning with `place`, where a matrix of this size is no vector of
/// `size` entries; `column`: that which `name` chooses, from 1, 0: none.
void check_vector_shape(const std::string& place, const std::string& name, GlobalIndex rows,
                        GlobalIndex columns, std::int64_t column, GlobalIndex size);

/// Collective. The vector of `size` entries that `load` and `outline` (SourceEntry) find in `name`;
/// this rank's even share. What the matrix does not store is 0.
std::vector<double> vector_of_matrix(const SourceEntry& source, const std::string& name,
                                     GlobalIndex size, const Comm& comm, Progress& progress);

}  // namespace rowhalo

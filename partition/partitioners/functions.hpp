// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of the partitioners share; see partitioners.hpp for the contract of an assign
// function.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/base/spec.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Local. Throws InputError when `options` has an argument or other keys than `keys`.
void allow_keys(const Spec& options, std::initializer_list<std::string_view> keys);
/// Collective. Throws AgreedError when `options` says more than a name.
void refuse_options(const Spec& options, const Comm& comm);

/// Collective. Tells `progress` how long the partitioner `name` takes, as far as its entry of the
/// table says.
void expect_duration(std::string_view name, const DistributedCsr& matrix, const Comm& comm,
                     Progress& progress);

/// What a product reads and writes for such rows of CSR in fp64, in words of 4 bytes: 3 a nonzero,
/// 5 a row (its offset, x and y once).
constexpr std::int64_t csr_words(GlobalIndex rows, Offset nonzeros) {
  return 3 * nonzeros + 5 * rows;
}

/// The partitioner `nnz`, which others start from.
std::vector<int> assign_nnz(const DistributedCsr& matrix, int parts, const Spec& options,
                            const Comm& comm, Progress& progress);

/// Number of boxes in each direction for the partitioner `box`: no part without a box if possible,
/// then the smallest area of the cuts, then cuts across z (whose layers are contiguous rows) before
/// y before x.
std::array<int, 3> choose_boxes(const Grid& grid, int parts);

/// Local. The owners of this rank's rows when all rows are distributed evenly in whole blocks.
std::vector<int> even_owners(const DistributedCsr& matrix, int parts);

}  // namespace rowhalo

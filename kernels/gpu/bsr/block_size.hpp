// SPDX-License-Identifier: BSD-3-Clause
//
// The block size of formats on the device.
#pragma once

#include "kernels/block_size.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

inline constexpr int bsr_threads = 128;  ///< per thread block

/// The size by choose_block_size. Throws InputError also when the listed rows are not whole blocks
/// of the size that was told.
BlockSize block_size_option(const CsrView& matrix, RowListView rows, const Spec& options);

}  // namespace rowhalo

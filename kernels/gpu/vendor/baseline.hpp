// SPDX-License-Identifier: BSD-3-Clause
//
// What the vendor's libraries do not take, in every baseline alike. All throw InputError.
#pragma once

#include <cstdint>

#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"
#include "partition/base/spec.hpp"

namespace rowhalo {

/// Refuses lists of rows and matrices without nonzeros.
void check_whole(const CsrView& matrix, RowListView rows, const Spec& options);

/// Refuses more than 2^31 - 1 `entries`, which are called `name`.
void check_32_bits(std::int64_t entries, const char* name, const Spec& options);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What every format checks of the options behind its name.
#pragma once

#include <initializer_list>
#include <string_view>

#include "partition/base/spec.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

/// Refuses a bare argument (formats take none) and keys that are not in `keys`. Throws InputError.
void check_format_options(const Spec& options, std::initializer_list<std::string_view> keys);

/// What a format would store. The limit is held against the nonzeros of the whole block: a few
/// listed rows may be ragged.
struct Padding {
  Offset slots = 0;
  Offset listed_nonzeros = 0;
  Offset block_nonzeros = 0;  ///< of all rows of the rank
};

/// Refuses more padding than the option max_padding allows, as a multiple of the nonzeros (default
/// 5): "`layout` would hold .. slots ...; `remedy`". Throws InputError.
void check_padding(const Spec& options, const Padding& padding, std::string_view layout,
                   std::string_view remedy);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What every format checks of the options behind its name.
#pragma once

#include <initializer_list>
#include <string_view>

#include "partition/base/csr.hpp"
#include "partition/base/spec.hpp"

namespace rowhalo {

/// Refuses a bare argument (formats take none) and keys that are not in `keys`. Throws InputError.
void check_format_options(const Spec& options, std::initializer_list<std::string_view> keys);

/// The option `key`, which must be one of `choices`. Throws InputError.
int one_of(const Spec& options, const char* key, std::initializer_list<int> choices, int fallback);

/// Distinct values that a byte each can name.
inline constexpr int most_distinct_values = 256;

/// Whether values may be stored in fewer bytes: codes=on (default) or off, unless the matrix says
/// never or that its values will change.
bool wants_value_codes(const CsrView& matrix, const Spec& options);

/// What a format would store of the listed rows of `matrix`.
struct Padding {
  Offset slots = 0;
  Offset listed_nonzeros = 0;
  const CsrView& matrix;
};

/// Refuses padding where it hurts: more than the option max_padding (default 5) times the nonzeros
/// of the whole local matrix, since a few listed rows may be ragged, and more than 64 MB, a slot
/// counted as an entry of CSR. "`layout` would hold .. slots ...; `remedy`". Throws InputError.
void check_padding(const Spec& options, const Padding& padding, std::string_view layout,
                   std::string_view remedy);

}  // namespace rowhalo

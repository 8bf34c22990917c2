// SPDX-License-Identifier: BSD-3-Clause
//
// What every format checks of the options behind its name.
#pragma once

#include <initializer_list>
#include <string_view>

#include "partition/base/spec.hpp"

namespace rowhalo {

/// Refuses a bare argument (formats take none) and keys that are not in `keys`. Throws InputError.
inline void check_format_options(const Spec& options,
                                 std::initializer_list<std::string_view> keys) {
  if (!options.argument().empty()) {
    options.fail("a format takes key=value only, not '" + options.argument() + "'");
  }
  options.allow_only(keys);
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// A number known at run time, such as an option, as the template argument that it chooses.
#pragma once

#include <type_traits>

namespace rowhalo {

/// Returns visit(std::integral_constant<int, c>{}), with c the choice that `value` is; with the
/// last one if it is none of them.
template <int first, int... others, class Visit>
auto with_choice(int value, const Visit& visit) {
  if constexpr (sizeof...(others) > 0) {
    if (value != first) return with_choice<others...>(value, visit);
  }
  return visit(std::integral_constant<int, first>{});
}

}  // namespace rowhalo

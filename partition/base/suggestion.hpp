// SPDX-License-Identifier: BSD-3-Clause
//
// "Did you mean ...?": what every message about a mistyped name says, of options and commands as of
// their values and keys. A name is near if few letters differ: one in three (edit distance in which
// two swapped neighbours count once, after Damerau 1964), whatever their case; if other programs
// have that name for the same thing; or if it is the beginning of one name alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rowhalo {

/// How the message about the unknown `word` goes on: "; did you mean NAME? Remedy" with the nearest
/// of `names`, of equals the first; "; remedy" if none is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& names,
                       std::string remedy);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Names of files, of any bytes: how they are put out, and how they are taken apart. Input: the
// name.
#include "io/file_kind.hpp"
#include "partition/base/suggestion.hpp"
#include "partition/base/text.hpp"
#include "tests/fuzz/target.hpp"

using namespace rowhalo;

namespace {

bool has_control_characters(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return true;
  }
  return false;
}

}  // namespace

void run_input(std::string_view input) {
  const std::string line = one_line(input), utf8 = valid_utf8(input), word = shell_quoted(input);
  require(!has_control_characters(line), "one line shows control characters");
  require(!has_control_characters(word), "so does a word of a shell");
  require(one_line(line) == line, "what is shown is shown as it is");
  require(valid_utf8(utf8) == utf8 && valid_utf8(line) == line, "UTF-8 is valid");
  require(one_line(word) == word, "a hint is shown as it is");
  const std::string name(input);
  const FileLocation location = file_location(name);
  require(name.starts_with(location.file), "a name begins with the file");
  require(location.object.empty() || location.member.empty(), "an object or a member");
  (void)kind_by_suffix(input);
  require(suggestion(input, {"--halo", "fp64", "stencil27"}, "see").starts_with("; "), "a remedy");
}

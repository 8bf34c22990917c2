// SPDX-License-Identifier: BSD-3-Clause
//
// Banner, comments and size line of Matrix Market files. Input: a byte for the step in which the
// text comes, then the text. In steps or at once, the header is the same.
#include <optional>

#include "io/matrix_market/parser.hpp"
#include "partition/base/errors.hpp"
#include "tests/fuzz/target.hpp"

using namespace rowhalo;

namespace {

/// Empty where the header is faulty. As the reader does it: no line twice.
std::optional<MatrixMarketHeader> read_in_steps(std::string_view text, std::size_t step) {
  MatrixMarketHeader header;
  try {
    for (std::size_t end = step;; end += step) {
      const bool at_end = end >= text.size();
      const std::string_view part = text.substr(0, end).substr(header.bytes);
      if (parse_header(part, at_end, "f", header)) return header;
      require(!at_end, "a header ends with the text");
    }
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

void run_input(std::string_view input) {
  Draw draw(input);
  const std::size_t step = 16 + draw.byte();
  const std::string_view text = draw.rest();
  const auto whole = read_in_steps(text, text.size() + 1);
  const auto pieces = read_in_steps(text, step);
  require(whole.has_value() == pieces.has_value(), "in steps as at once");
  if (!whole) return;
  require(whole->rows == pieces->rows && whole->columns == pieces->columns &&
              whole->entries == pieces->entries && whole->lines == pieces->lines &&
              whole->bytes == pieces->bytes && whole->layout == pieces->layout &&
              whole->field == pieces->field && whole->symmetry == pieces->symmetry,
          "the same header in steps");
  require(whole->bytes <= static_cast<std::int64_t>(text.size()), "the header is in the text");
  require(whole->rows >= 0 && whole->columns >= 0 && whole->entries >= 0, "no negative sizes");
  if (whole->entries > INT64_MAX / 2) return;  // the reader has compared them with the file's size
  require(least_nonzeros(*whole) >= 0, "nonzeros are counted");
}

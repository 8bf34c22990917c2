// SPDX-License-Identifier: BSD-3-Clause
//
// Options that several formats share (options.hpp).
#include "kernels/options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rowhalo {

void check_format_options(const Spec& options, std::initializer_list<std::string_view> keys) {
  if (!options.argument().empty()) {
    options.fail("a format takes key=value only, not '" + options.argument() + "'");
  }
  options.allow_only(keys);
}

int one_of(const Spec& options, const char* key, std::initializer_list<int> choices, int fallback) {
  const std::int64_t value = options.integer(key, fallback);
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) {
    return static_cast<int>(value);
  }
  std::vector<std::string> names;
  for (const int choice : choices) names.push_back(std::to_string(choice));
  options.fail(fmt::format("{} must be {}", key, listed(names)));
}

bool wants_value_codes(const CsrView& matrix, const Spec& options) {
  const bool wanted = options.word("codes", {"on", "off"}) == "on";
  return wanted && matrix.value_codes && !matrix.refillable;
}

void check_padding(const Spec& options, const Padding& padding, std::string_view layout,
                   std::string_view remedy) {
  constexpr double harmless_bytes = 64e6;
  const double limit = options.number("max_padding", 5);
  if (!(limit >= 0)) options.fail("max_padding must not be negative");
  const auto added = static_cast<double>(padding.slots - padding.listed_nonzeros);
  const double times = added / static_cast<double>(std::max<Offset>(padding.matrix.nonzeros, 1));
  const auto slot_bytes =
      static_cast<double>(matrix_value_bytes(padding.matrix.precision) + sizeof(LocalIndex));
  const double bytes = added * slot_bytes;
  if (times <= limit || bytes <= harmless_bytes) return;
  options.fail(fmt::format(
      "{} would hold {} slots for {} nonzeros: the padding is {:.1f} times the nonzeros and {:.0f} "
      "MB, the limits {} (max_padding=) and {:.0f} MB; {}",
      layout, padding.slots, padding.listed_nonzeros, times, bytes * 1e-6, limit,
      harmless_bytes * 1e-6, remedy));
}

}  // namespace rowhalo

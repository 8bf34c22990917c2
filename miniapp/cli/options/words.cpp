// SPDX-License-Identifier: BSD-3-Clause
//
// Options of a few words (words.hpp).
#include "miniapp/cli/options/words.hpp"

namespace rowhalo {

CLI::Option* add_word(App& app, const std::string& name, std::string& target,
                      const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const std::string& word : words) choices.emplace_back(word, word);
  return add_choice(app, name, target, choices, with_default(alternatives(words), target));
}

}  // namespace rowhalo

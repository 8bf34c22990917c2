// SPDX-License-Identifier: BSD-3-Clause
//
// Options of a few words (words.hpp).
#include "miniapp/cli/options/words.hpp"

namespace rowhalo {

CLI::Option* add_word(App& app, const std::string& name, std::string& target,
                      const std::vector<std::string>& words, const std::string& description) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const std::string& word : words) choices.emplace_back(word, word);
  return add_choice(app, name, target, choices, description);
}

void add_switch(App& app, const std::string& name, bool& target, const std::string& description) {
  add_choice<bool>(app, name, target, {{"on", true}, {"off", false}}, description);
}

CLI::Option* add_named(App& app, const std::string& name, std::string& target, const char* type,
                       const OptionValues& values, const std::string& description) {
  CLI::Option* option = app.add_option(name, target, description);
  app.takes(option, values);
  return option->type_name(type);
}

CLI::Option* add_file(App& app, const std::string& name, std::string& target,
                      const std::string& description) {
  const auto check = [](const std::string& text) {
    return text.empty() ? "the name is empty; give a file name" : std::string();
  };
  return app.add_option(name, target, description)
      ->type_name("FILE")
      ->check(CLI::Validator(check, ""));
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Completion (app.hpp): both scripts are a frame, written here, around lists that are walked out of
// the options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "miniapp/cli/app.hpp"

namespace rowhalo {

namespace {

/// `text` within single quotes of a shell.
std::string single_quoted(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

std::vector<const App*> with_commands(const App& app) {
  std::vector<const App*> all{&app};
  all.insert(all.end(), app.commands().begin(), app.commands().end());
  return all;
}

std::string joined_commands(const App& app) {
  std::vector<std::string> names;
  for (const App* command : app.commands()) names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, " | "));
}

/// What may stand in the place of arguments without a name.
OptionValues positional_values(const App& command) {
  OptionValues all;
  for (const CLI::Option* option : positionals(command)) {
    const OptionValues values = command.values_of(*option);
    all.words.insert(all.words.end(), values.words.begin(), values.words.end());
    all.files = all.files || values.files;
  }
  return all;
}

// The line up to the cursor is divided at white space alone: bash would also divide at ':' and '='.
constexpr const char* bash_head =
    R"sh(# bash completion of rowhalo; made by rowhalo --completion bash
_rowhalo() {
  local line=${COMP_LINE:0:COMP_POINT} given current previous command='' word
  local words='' files='' several='' prefix='' kept=''
  read -ra given <<<"$line"
  [[ $line == *[[:space:]] ]] && given+=('')
  current=${given[-1]}
  previous=${given[-2]}
  for word in "${given[@]:1:${#given[@]}-2}"; do
    case $word in @COMMANDS@) command=$word && break ;; esac
  done
  if [[ $current == --*=* ]]; then
    previous=${current%%=*}
    prefix=$previous=
  fi
  case $command:$previous in
)sh";

constexpr const char* bash_tail = R"sh(  esac
  if [[ $several && $current == *,* ]]; then prefix=${current%,*},; fi
  mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$words" -- "${current#"$prefix"}")
  if [[ $files ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -P "$prefix" -f -- "${current#"$prefix"}")
    compopt -o filenames 2>/dev/null
  fi
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=] ]]; then compopt -o nospace 2>/dev/null; fi
  local breaks=${COMP_WORDBREAKS//[^:=]/}
  if [[ $breaks && $current == *["$breaks"]* ]]; then kept=${current%"${current##*["$breaks"]}"}; fi
  COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}
complete -F _rowhalo rowhalo
)sh";

std::string replaced(std::string text, const std::string& mark, const std::string& value) {
  const std::size_t place = text.find(mark);
  return text.replace(place, mark.size(), value);
}

std::string bash_values(const OptionValues& values) {
  return fmt::format("words='{}'{}{}",
                     single_quoted(fmt::format("{}", fmt::join(values.words, " "))),
                     values.files ? " files=1" : "", values.several ? " several=1" : "");
}

/// The cases of one command: its options with values, then all else.
std::string bash_cases(const App& app, const App& command) {
  const std::string name = &command == &app ? "" : command.get_name();
  std::string cases;
  std::vector<std::string> options;
  for (const OptionGroup& group : option_groups(command)) {
    for (const CLI::Option* option : group.options) {
      std::vector<std::string> patterns;
      for (const std::string& word : names_of(*option)) {
        options.push_back(word);
        patterns.push_back(name + ":" + word);
      }
      if (!takes_value(*option)) continue;
      cases += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "),
                           bash_values(command.values_of(*option)));
    }
  }
  OptionValues others = positional_values(command);
  if (&command == &app) {
    for (const App* one : app.commands()) others.words.push_back(one->get_name());
  }
  cases += fmt::format(
      "    {}:*)\n"
      "      if [[ $current == -* ]]; then words='{}'; else {}; fi ;;\n",
      name, fmt::join(options, " "), bash_values(others));
  return cases;
}

/// Within a specification of _arguments.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return single_quoted(result);
}

/// What stands behind the name of an argument: how it is completed.
std::string zsh_action(const OptionValues& values) {
  const std::string words = fmt::format("{}", fmt::join(values.words, " "));
  if (values.several) return fmt::format("_sequence compadd - {}", zsh_text(words));
  if (values.files && values.words.empty()) return "_files";
  if (values.words.empty()) return " ";
  return fmt::format("_rowhalo_{} {}", values.files ? "words_or_files" : "words", zsh_text(words));
}

std::string zsh_arguments(const App& command) {
  std::string text;
  for (const OptionGroup& group : option_groups(command)) {
    for (const CLI::Option* option : group.options) {
      const std::string value = takes_value(*option)
                                    ? fmt::format(":{}:{}", zsh_text(option->get_type_name()),
                                                  zsh_action(command.values_of(*option)))
                                    : "";
      for (const std::string& name : names_of(*option)) {
        const char* joined = value.empty() || !name.starts_with("--") ? "" : "=";
        text += fmt::format(" \\\n        '{}{}[{}]{}'", name, joined,
                            zsh_text(option->get_description()), value);
      }
    }
  }
  for (const CLI::Option* option : positionals(command)) {
    text += fmt::format(" \\\n        ':{}:{}'", zsh_text(option->get_name(true)),
                        zsh_action(command.values_of(*option)));
  }
  return text;
}

constexpr const char* zsh_head = R"sh(#compdef rowhalo
# zsh completion of rowhalo; made by rowhalo --completion zsh

# Words; behind one that ends with ':' or '=' the user goes on.
_rowhalo_words() {
  local -a open=(${(M)@:#*(:|=)}) whole=(${@:#*(:|=)})
  compadd -a whole
  compadd -S '' -a open
}
_rowhalo_words_or_files() {
  _rowhalo_words "$@"
  _files
}

_rowhalo() {
  local curcontext=$curcontext state line
  typeset -A opt_args
)sh";

}  // namespace

std::string bash_completion(const App& app) {
  std::string text = replaced(bash_head, "@COMMANDS@", joined_commands(app));
  for (const App* command : with_commands(app)) text += bash_cases(app, *command);
  return text + bash_tail;
}

std::string zsh_completion(const App& app) {
  std::string text = zsh_head;
  text +=
      fmt::format("  _arguments -C{} \\\n        '1:command:->command' '*::argument:->argument'\n",
                  zsh_arguments(app));
  text += "  case $state in\n    command)\n      local -a commands=(";
  for (const App* command : app.commands()) {
    text +=
        fmt::format("\n        '{}:{}'", command->get_name(), zsh_text(command->get_description()));
  }
  text += ")\n      _describe command commands ;;\n    argument)\n      case $words[1] in\n";
  for (const App* command : app.commands()) {
    text += fmt::format("      {})\n        _arguments{} ;;\n", command->get_name(),
                        zsh_arguments(*command));
  }
  return text + "      esac ;;\n  esac\n}\n\n_rowhalo \"$@\"\n";
}

}  // namespace rowhalo

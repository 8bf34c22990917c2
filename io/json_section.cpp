// SPDX-License-Identifier: BSD-3-Clause
#include "io/json_section.hpp"

#include "io/collective.hpp"
#include "io/input_file.hpp"
#include "partition/base/regular_file.hpp"

namespace rowhalo {

std::string shared_text(const Comm& comm, const std::string& path, const char* option) {
  return found_by_root(comm, [&] {
    check_regular_file(path, option);  // InputFile does not know the option
    const InputFile file(path);
    return file.text(0, file.bytes());
  });
}

Json parsed_json(const std::string& text, const std::string& path, const char* option,
                 const char* remedy) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_discarded()) return json;
  throw InputError(fmt::format("{} {}: is not JSON; {}", option, path, remedy));
}

}  // namespace rowhalo

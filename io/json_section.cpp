// SPDX-License-Identifier: BSD-3-Clause
#include "io/json_section.hpp"

#include <fstream>
#include <sstream>

#include "io/collective.hpp"
#include "partition/base/regular_file.hpp"

namespace rowhalo {

namespace {

std::string contents_of(const std::string& path, const char* option) {
  check_regular_file(path, option);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw InputError(fmt::format("{} {}: cannot be read", option, path));
  return std::move(text).str();
}

}  // namespace

std::string shared_text(const Comm& comm, const std::string& path, const char* option) {
  return found_by_root(comm, [&] { return contents_of(path, option); });
}

Json parsed_json(const std::string& text, const std::string& path, const char* option,
                 const char* remedy) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_discarded()) return json;
  throw InputError(fmt::format("{} {}: is not JSON; {}", option, path, remedy));
}

}  // namespace rowhalo

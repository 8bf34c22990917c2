// SPDX-License-Identifier: BSD-3-Clause
//
// A file's bytes as a string, for what tests compare.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// SPDX-License-Identifier: BSD-3-Clause
//
// FILE.h5[:/OBJECT]: a place in an HDF5 file, as users name it. Needs no HDF5.
#pragma once

#include <string>
#include <string_view>

namespace rowhalo {

struct Hdf5Location {
  std::string file;    ///< any other file name stands here as it is
  std::string object;  ///< group or dataset, with its first slash; empty where none is named
};

inline Hdf5Location hdf5_location(const std::string& name) {
  constexpr std::string_view between = ".h5:/";
  const std::size_t found = name.find(between);
  if (found == std::string::npos) return {name, ""};
  return {name.substr(0, found + 3), name.substr(found + between.size() - 1)};
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The header of a matrix in an HDF5 file, found by one rank. Local. Throws InputError that says
// what is missing and what is there instead.
#pragma once

#include <string>

#include "io/hdf5/handles.hpp"
#include "io/hdf5/location.hpp"
#include "io/sources.hpp"

namespace rowhalo {

/// The group that holds the matrix: the root where none is named.
inline std::string group_of(const Hdf5Location& location) {
  return location.object.empty() ? "/" : location.object;
}

/// Opens the file, checks all but the entries. `name` is what the user wrote.
MatrixOutline examine_hdf5_matrix(const std::string& name);
/// The same of a file that is open.
MatrixOutline examine_hdf5_matrix(hid_t file, const std::string& name);

}  // namespace rowhalo

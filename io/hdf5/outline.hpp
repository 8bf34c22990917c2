// SPDX-License-Identifier: BSD-3-Clause
//
// The header of a matrix in an HDF5 file, found by one rank. Local. Throws InputError that says
// what is missing and what is there instead.
#pragma once

#include <string>

#include "io/file_kind.hpp"
#include "io/file_outline.hpp"
#include "io/hdf5/handles.hpp"

namespace rowhalo {

/// The group that holds the matrix: the root where none is named.
inline std::string group_of(const FileLocation& location) {
  return location.object.empty() ? "/" : location.object;
}

/// How a group holds its matrix: in compressed rows (CSR) or columns (CSC), under whose names.
struct Hdf5Layout {
  bool by_columns = false;
  bool assumed = false;  ///< nothing says which of the two, and the matrix is square
  bool matlab = false;   ///< jc, ir and data; else indptr, indices and data

  const char* offsets() const { return matlab ? "jc" : "indptr"; }
  const char* indices() const { return matlab ? "ir" : "indices"; }
  static const char* values() { return "data"; }
};

struct Hdf5Outline : FileOutline {
  Hdf5Layout layout;
};

/// Opens the file, checks all but the entries. `name` is what the user wrote.
Hdf5Outline examine_hdf5_matrix(const std::string& name);
/// The same of a file that is open.
Hdf5Outline examine_hdf5_matrix(hid_t file, const std::string& name);

/// Whether the object of a file that is open is a group that holds a matrix.
bool is_hdf5_matrix(hid_t file, const std::string& object);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// HDF5 files that are to be written, FILE.h5[:/OBJECT]: one rank begins them, then all ranks fill
// them (shared.hpp). Without OBJECT the file is made anew. With OBJECT, everything else that
// an existing file holds is kept: the temporary file begins as its copy.
// HDF5 does not recover from a full disk: closing the file fails, and its own end crashes or does
// not end. So the space is reserved before HDF5 writes, and small files are made in memory.
#pragma once

#include <string>

#include "io/sources.hpp"

namespace rowhalo {

/// Why this build cannot use HDF5, and the remedy; null where it can.
extern const char* const hdf5_unusable;

/// Local, before any work is done. OBJECT is the group of a matrix or the dataset of a vector.
/// Throws InputError (usage), beginning with `option`, if OBJECT cannot be added to the existing
/// file `name`: no HDF5 file, a group that exists already, or something else in its place. A
/// dataset that exists is replaced.
void check_hdf5_target(const std::string& name, const std::string& option, FileUse use);

}  // namespace rowhalo

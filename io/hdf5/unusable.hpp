// SPDX-License-Identifier: BSD-3-Clause
//
// Why this build cannot use HDF5, and the remedy; null where it can.
#pragma once

namespace rowhalo {

extern const char* const hdf5_unusable;

}  // namespace rowhalo

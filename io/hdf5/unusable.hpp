// SPDX-License-Identifier: BSD-3-Clause
//
// Why the tables of sources and of vector files cannot use .h5 in this build; null where they can.
// Only for io/, whose files are compiled with ROWHALO_HAVE_HDF5 or without.
#pragma once

namespace rowhalo {

#ifdef ROWHALO_HAVE_HDF5
inline constexpr const char* hdf5_unusable = nullptr;
#else
inline constexpr const char* hdf5_unusable =
    "built without HDF5; configure with -D ROWHALO_WITH_HDF5=ON";
#endif

}  // namespace rowhalo

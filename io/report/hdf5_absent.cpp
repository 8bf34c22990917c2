// SPDX-License-Identifier: BSD-3-Clause
//
// Reports as HDF5 in a build without it (writers.hpp): refused, with the remedy.
#include <stdexcept>

#include "io/report/writers.hpp"

namespace rowhalo {

const char* hdf5_report_unusable() {
  return "this build has no HDF5; configure with ROWHALO_WITH_HDF5=ON, or use --json";
}

void write_hdf5_report(const std::string&, const RunReport&) {
  throw std::logic_error(hdf5_report_unusable());
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices, vectors and reports in .h5 in a build without HDF5: they are refused (target.hpp)
// before any of these is called.
#include <stdexcept>

#include "io/hdf5/target.hpp"
#include "io/report/writers.hpp"
#include "io/sources.hpp"

namespace rowhalo {

const char* const hdf5_unusable = "built without HDF5; configure with -D ROWHALO_WITH_HDF5=ON";

// To be written, as those of a build with HDF5, but for the refusal.
extern const SourceFunctions hdf5_source{
    nullptr, nullptr, [](const std::string&, const DistributedCsr&, const Comm&, Progress&) {}};

extern const VectorFunctions hdf5_vectors{};

void check_hdf5_target(const std::string&, const std::string&, FileUse) {}

void write_hdf5_report(const std::string&, const RunReport&) {
  throw std::logic_error(hdf5_unusable);
}

}  // namespace rowhalo

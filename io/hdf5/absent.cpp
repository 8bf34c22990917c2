// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices, vectors and reports in .h5 in a build without HDF5: they are refused (unusable.hpp)
// before any of these is called.
#include <stdexcept>

#include "io/hdf5/target.hpp"
#include "io/hdf5/unusable.hpp"
#include "io/report/writers.hpp"
#include "io/sources.hpp"
#include "io/vector_kinds.hpp"

namespace rowhalo {

const char* const hdf5_unusable = "built without HDF5; configure with -D ROWHALO_WITH_HDF5=ON";

extern const SourceFunctions hdf5_source{
    nullptr, nullptr, [](const std::string&, const DistributedCsr&, const Comm&, Progress&) {
      throw std::logic_error(hdf5_unusable);
    }};

std::optional<std::vector<double>> read_hdf5_vector(const std::string&, GlobalIndex, const Comm&,
                                                    Progress&) {
  throw std::logic_error(hdf5_unusable);
}

void write_hdf5_vector(const std::string&, const std::vector<double>&, Precision, const Comm&,
                       Progress&) {
  throw std::logic_error(hdf5_unusable);
}

void check_hdf5_target(const std::string&, const std::string&, Hdf5Object) {}

void write_hdf5_report(const std::string&, const RunReport&) {
  throw std::logic_error(hdf5_unusable);
}

}  // namespace rowhalo

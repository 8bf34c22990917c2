// SPDX-License-Identifier: BSD-3-Clause
//
// The functions behind the table of vector files (vector_file.cpp), one file a kind.
// All are collective, as read_vector and write_vector say; `name` is what the user wrote.
#pragma once

#include <string>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

std::vector<double> read_matrix_market_vector(const std::string& name, GlobalIndex size,
                                              const Comm& comm, Progress& progress);
void write_matrix_market_vector(const std::string& name, const std::vector<double>& share,
                                Precision precision, const Comm& comm, Progress& progress);

std::vector<double> read_petsc_vector(const std::string& name, GlobalIndex size, const Comm& comm,
                                      Progress& progress);
void write_petsc_vector(const std::string& name, const std::vector<double>& share,
                        Precision precision, const Comm& comm, Progress& progress);

std::vector<double> read_hdf5_vector(const std::string& name, GlobalIndex size, const Comm& comm,
                                     Progress& progress);
void write_hdf5_vector(const std::string& name, const std::vector<double>& share,
                       Precision precision, const Comm& comm, Progress& progress);

}  // namespace rowhalo

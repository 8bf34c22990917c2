// SPDX-License-Identifier: BSD-3-Clause
//
// The functions behind the table of vector files (vector_file.cpp), one file a kind.
// All are collective, as read_vector and write_vector say; `name` is what the user wrote. What
// reads gives nothing where the file holds a matrix instead, of which a vector may be made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

void write_matrix_market_vector(const std::string& name, const std::vector<double>& share,
                                Precision precision, const Comm& comm, Progress& progress);

std::optional<std::vector<double>> read_petsc_vector(const std::string& name, GlobalIndex size,
                                                     const Comm& comm, Progress& progress);
void write_petsc_vector(const std::string& name, const std::vector<double>& share,
                        Precision precision, const Comm& comm, Progress& progress);

std::optional<std::vector<double>> read_hdf5_vector(const std::string& name, GlobalIndex size,
                                                    const Comm& comm, Progress& progress);
void write_hdf5_vector(const std::string& name, const std::vector<double>& share,
                       Precision precision, const Comm& comm, Progress& progress);

}  // namespace rowhalo

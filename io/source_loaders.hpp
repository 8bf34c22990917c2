// SPDX-License-Identifier: BSD-3-Clause
//
// The functions behind the table of sources (sources.cpp), one file a kind of source.
// All are collective and throw AgreedError on bad input.
#pragma once

#include "io/sources.hpp"

namespace rowhalo {

/// SourceEntry::load, ::outline and ::save.
using Load = DistributedCsr(const Spec& spec, const Comm& comm, Progress& progress);
using Outline = MatrixOutline(const Spec& spec, const Comm& comm);
using Save = void(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
                  Progress& progress);

Load load_matrix_market;
Outline outline_matrix_market;
Save save_matrix_market;
Load load_hdf5, load_petsc;
Outline outline_hdf5, outline_petsc;
Save save_hdf5, save_petsc;
Load load_stencil, load_elasticity, load_banded, load_random, load_rmat, load_web, load_road,
    load_arrow, load_empty, load_dense;
Outline outline_stencil, outline_elasticity, outline_banded, outline_random, outline_rmat,
    outline_web, outline_road, outline_arrow, outline_empty, outline_dense;

}  // namespace rowhalo

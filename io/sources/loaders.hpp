// SPDX-License-Identifier: BSD-3-Clause
//
// The functions behind the table of sources (sources.cpp), one file a kind of source.
// All are collective and throw AgreedError on bad input.
#pragma once

#include "io/sources.hpp"

namespace rowhalo {

/// SourceEntry::load and SourceEntry::outline.
using Load = DistributedCsr(const Spec& spec, const Comm& comm, Progress& progress);
using Outline = MatrixOutline(const Spec& spec, const Comm& comm);

Load load_matrix_market;
Load load_stencil, load_random, load_dense;
Outline outline_stencil, outline_random, outline_dense;

}  // namespace rowhalo
